// What the user said, as text: within the project's limits, written down as usage.
import type { ProjectCaller } from '../../callers.ts'
import type { Inference } from '../../inference/inference.ts'
import { type Clip, msOf } from './audio/formats.ts'
import { wavFile } from './audio/wav-file.ts'

export interface Spoken {
  caller: ProjectCaller
  clips: readonly Clip[]
  /** The public id of the transcription model. */
  model: string
  language: string | undefined
  prompt: string | undefined
  signal: AbortSignal
}

/** `onText` gets each stretch as soon as it is understood. */
export async function transcribe(
  inference: Inference,
  { caller, clips, model: id, language, prompt, signal }: Spoken,
  onText: (text: string) => void,
): Promise<string> {
  const model = await inference.resolve(caller, id, 'transcription')
  const metered = await inference.meter(caller, model, { operation: 'audio_transcriptions', tokens: 0 })
  const texts: string[] = []
  const request = { audio: wavFile(joined(clips)), task: 'transcribe' as const, language, prompt }
  try {
    const call = { signal, turn: caller.projectId }
    for await (const event of model.port.transcribe({ ...request, temperature: undefined, words: false }, call)) {
      if (event.kind !== 'segment' || event.segment.text.trim() === '') continue
      const text = event.segment.text.trim()
      onText(texts.length === 0 ? text : ` ${text}`)
      texts.push(text)
    }
    const audioMs = clips.reduce((sum, clip) => sum + msOf(clip), 0)
    metered.finish({ model: id, input: 0, cachedInput: 0, output: 0, audioMs })
  } finally {
    metered.abandon()
  }
  return texts.join(' ')
}

/** Clips that follow one another in one format are one sound: a filter that began anew between them would click. */
function joined(clips: readonly Clip[]): Clip[] {
  const runs: { format: Clip['format']; bytes: Buffer[] }[] = []
  for (const { format, bytes } of clips) {
    const last = runs.at(-1)
    if (last?.format === format) last.bytes.push(bytes)
    else runs.push({ format, bytes: [bytes] })
  }
  return runs.map(({ format, bytes }) => ({ format, bytes: Buffer.concat(bytes) }))
}
