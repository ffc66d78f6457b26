// A whole answer, read aloud in one file: within the project's limits, written down as usage.
import { closeWav } from '@atoll/models/audio/wav'
import type { Call } from '@atoll/models/call'
import type { ChatAudio } from '@atoll/models/chat'
import type { SpeakRequest, SpeechFormat, Voice } from '@atoll/models/speak'
import type { ProjectCaller } from '../../../../callers.ts'
import type { Inference } from '../../../../inference/inference.ts'
import type { KeptAudios } from './kept-audios.ts'
import { soundLength } from './sound-length.ts'

interface Parts {
  inference: Inference
  kept: KeptAudios
  caller: ProjectCaller
  /** The public id of the speech model. */
  model: string
}

/** As the caller asks for it. */
export interface AudioWish {
  voice: string
  format: string
}

export async function speakAnswer(
  transcript: string,
  wish: AudioWish,
  parts: Parts,
  call: Call,
): Promise<{ audio: ChatAudio; ms: number }> {
  const format = (wish.format === 'pcm16' ? 'pcm' : wish.format) as SpeechFormat
  let told = 0
  const onSpoken = (ms: number): void => {
    told += ms
  }
  const request = { text: transcript, voice: wish.voice as Voice, format, speed: 1, onSpoken }
  const bytes = await speak(request, parts, call)
  const ms = told > 0 ? told : await soundLength(bytes, format, call.signal)
  const { kept, caller } = parts
  const id = kept.newId()
  const expires_at = await kept.keep(caller.projectId, id, transcript)
  const file = format === 'wav' ? closeWav(bytes) : bytes
  return { audio: { id, expires_at, data: file.toString('base64'), transcript }, ms }
}

async function speak(request: SpeakRequest, { inference, caller, model: id }: Parts, call: Call): Promise<Buffer> {
  const model = await inference.resolve(caller, id, 'speech')
  const batch = call.background === true
  const metered = await inference.meter(caller, model, { operation: 'audio_speeches', tokens: 0, batch })
  const pieces: Uint8Array[] = []
  try {
    for await (const piece of model.port.speak(request, call)) pieces.push(piece)
    metered.finish({ model: id, input: 0, cachedInput: 0, output: 0, characters: [...request.text].length })
  } finally {
    metered.abandon()
  }
  return Buffer.concat(pieces)
}
