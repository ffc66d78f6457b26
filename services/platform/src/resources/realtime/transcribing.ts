// What the user said, as text.
import type { ProjectCaller } from '../../callers.ts'
import type { Inference } from '../../inference/inference.ts'
import { writeDown } from '../audio/transcriptions/write-down.ts'
import type { Clip } from './audio/formats.ts'
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
  { clips, signal, ...spoken }: Spoken,
  onText: (text: string) => void,
): Promise<string> {
  const call = { signal, turn: spoken.caller.projectId }
  return (await writeDown(inference, { ...spoken, audio: wavFile(joined(clips)), call }, onText)).text
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
