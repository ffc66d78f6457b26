// Speech: a text read aloud, sent as it is spoken.
import type { SpeechFormat } from '@atoll/models/speak'
import type { ProjectCaller } from '../../../callers.ts'
import { failModel } from '../../../inference/fail-model.ts'
import type { Inference } from '../../../inference/inference.ts'
import type { CreateSpeech } from './schema.ts'

export interface CreatedSpeech {
  /** Fails while it is read when the model does, in the middle of the file. */
  sound: AsyncGenerator<Uint8Array>
  mimeType: string
  /** Where the project stands with its limits. */
  headers: Record<string, string>
}

const mimeTypes: Record<SpeechFormat, string> = {
  mp3: 'audio/mpeg',
  opus: 'audio/ogg',
  aac: 'audio/aac',
  flac: 'audio/flac',
  wav: 'audio/wav',
  pcm: 'audio/pcm',
}

export class Speech {
  readonly #inference: Inference

  constructor({ inference }: { inference: Inference }) {
    this.#inference = inference
  }

  /** Rejects when nothing can be spoken. The signal says that nobody listens any more. */
  async create(caller: ProjectCaller, request: CreateSpeech, signal: AbortSignal): Promise<CreatedSpeech> {
    const { model: id, input: text, voice, response_format: format, speed } = request
    const model = await this.#inference.resolve(caller, id, 'speech')
    const metered = await this.#inference.meter(caller, model, { operation: 'audio_speeches', tokens: 0 })
    const used = { model: id, input: 0, cachedInput: 0, output: 0, characters: [...text].length }
    const pieces = model.port.speak({ text, voice, format, speed }, { signal, turn: caller.projectId })
    const iterator = pieces[Symbol.asyncIterator]()
    const first = await iterator.next().catch((error: unknown) => {
      metered.abandon()
      return failModel(error, signal)
    })
    metered.finish(used)
    return { sound: startingWith(first, iterator), mimeType: mimeTypes[format], headers: metered.headers }
  }
}

async function* startingWith(
  first: IteratorResult<Uint8Array>,
  rest: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  try {
    for (let step = first; !step.done; step = await rest.next()) yield step.value
  } finally {
    await rest.return?.()
  }
}
