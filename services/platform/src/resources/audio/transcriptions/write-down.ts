// What is said in a sound, as text: within the project's limits, written down as usage.
import type { Call } from '@atoll/models/call'
import type { AudioFile } from '@atoll/models/transcribe'
import type { ProjectCaller } from '../../../callers.ts'
import type { Inference } from '../../../inference/inference.ts'

export interface SoundToWriteDown {
  caller: ProjectCaller
  audio: AudioFile
  /** The public id of the transcription model. */
  model: string
  language?: string | undefined
  prompt?: string | undefined
  call: Call
}

export interface WrittenSound {
  text: string
  ms: number
}

/** `onText` gets each stretch as soon as it is understood. */
export async function writeDown(
  inference: Inference,
  { caller, audio, model: id, language, prompt, call }: SoundToWriteDown,
  onText: (text: string) => void = () => {},
): Promise<WrittenSound> {
  const model = await inference.resolve(caller, id, 'transcription')
  const batch = call.background === true
  const metered = await inference.meter(caller, model, { operation: 'audio_transcriptions', tokens: 0, batch })
  const texts: string[] = []
  let ms = 0
  const request = { audio, task: 'transcribe' as const, language, prompt, temperature: undefined, words: false }
  try {
    for await (const event of model.port.transcribe(request, call)) {
      if (event.kind === 'end') ms = event.seconds * 1_000
      else if (event.segment.text.trim() !== '') {
        const text = event.segment.text.trim()
        onText(texts.length === 0 ? text : ` ${text}`)
        texts.push(text)
      }
    }
    metered.finish({ model: id, input: 0, cachedInput: 0, output: 0, audioMs: Math.round(ms) })
  } finally {
    metered.abandon()
  }
  return { text: texts.join(' '), ms }
}
