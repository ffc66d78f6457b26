// Transcriptions and translations: speech written down, in its own language or in English.
import type { BlobStore } from '@atoll/kernel/blobs/blobs'
import type { IncomingFile } from '@atoll/kernel/http/route'
import type { TranscribeRequest, TranscriptEvent } from '@atoll/models/transcribe'
import type { ProjectCaller } from '../../../callers.ts'
import { inferenceErrors } from '../../../errors/errors.ts'
import { failModel } from '../../../inference/fail-model.ts'
import type { Inference } from '../../../inference/inference.ts'
import { present, type Understood, type Wanted } from './present.ts'
import type { CreateTranscription, CreateTranslation, Transcript } from './schema.ts'

interface Parts {
  inference: Inference
  blobs: BlobStore
}

export interface CreatedTranscript {
  transcript: Transcript | string
  /** Where the project stands with its limits. */
  headers: Record<string, string>
}

export class Transcriptions {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** The signal says that nobody waits for the answer any more. */
  async transcribe(
    caller: ProjectCaller,
    fields: CreateTranscription,
    file: IncomingFile,
    signal: AbortSignal,
  ): Promise<CreatedTranscript> {
    const { response_format: format, timestamp_granularities: asked } = fields
    if (asked !== undefined && format !== 'verbose_json') throw needsVerbose()
    const wanted = { format, segments: asked?.includes('segment') ?? true, words: asked?.includes('word') ?? false }
    return this.#create(caller, { ...fields, task: 'transcribe' }, file, wanted, signal)
  }

  async translate(
    caller: ProjectCaller,
    fields: CreateTranslation,
    file: IncomingFile,
    signal: AbortSignal,
  ): Promise<CreatedTranscript> {
    const wanted = { format: fields.response_format, segments: true, words: false }
    return this.#create(caller, { ...fields, language: undefined, task: 'translate' }, file, wanted, signal)
  }

  async #create(
    caller: ProjectCaller,
    asked: CreateTranslation & { task: TranscribeRequest['task']; language?: string | undefined },
    { filename: name, blob }: IncomingFile,
    wanted: Wanted,
    signal: AbortSignal,
  ): Promise<CreatedTranscript> {
    const { inference, blobs } = this.#parts
    try {
      const model = await inference.resolve(caller, asked.model, 'transcription')
      const metered = await inference.meter(caller, model, { operation: 'audio_transcriptions', tokens: 0 })
      const { task, language, prompt, temperature } = asked
      const audio = { name, open: () => readBlob(blobs, blob.key) }
      const request = { audio, task, language, prompt, temperature, words: wanted.words }
      const understood: Understood = { task, language: '', seconds: 0, segments: [] }
      const use = (): void =>
        metered.finish({ ...noTokens, model: asked.model, audioMs: Math.round(understood.seconds * 1_000) })
      try {
        await collect(understood, model.port.transcribe(request, { signal, turn: caller.projectId }))
      } catch (error) {
        // The model worked for a caller who left: what it heard is counted.
        if (signal.aborted && understood.seconds > 0) use()
        metered.abandon()
        return failModel(error, signal)
      }
      use()
      return { transcript: present(understood, wanted), headers: metered.headers }
    } finally {
      // A sound is not kept once it is written down.
      await blobs.remove(blob.key)
    }
  }
}

async function* readBlob(blobs: BlobStore, key: string): AsyncGenerator<Uint8Array> {
  yield* (await blobs.read(key)) as AsyncIterable<Uint8Array>
}

async function collect(understood: Understood, events: AsyncIterable<TranscriptEvent>): Promise<void> {
  for await (const event of events) {
    if (event.kind === 'segment') {
      understood.segments.push(event.segment)
      understood.seconds = event.segment.end
    } else {
      understood.seconds = event.seconds
      understood.language = event.language
    }
  }
}

const noTokens = { input: 0, cachedInput: 0, output: 0 }

const needsVerbose = (): Error =>
  inferenceErrors.invalid(
    "Invalid 'timestamp_granularities': they are told in `verbose_json` alone. Set `response_format` to verbose_json.",
    'timestamp_granularities',
  )
