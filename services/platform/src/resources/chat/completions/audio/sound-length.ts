// How long a sound file lasts that a model has spoken without telling it.
import { decode } from '@atoll/models/audio/decoding/decode'
import type { SpeechFormat } from '@atoll/models/speak'

const pcmBytesPerMs = 48

export async function soundLength(sound: Buffer, format: SpeechFormat, signal: AbortSignal): Promise<number> {
  if (format === 'pcm') return sound.length / pcmBytesPerMs
  const { rate, pieces } = await decode(once(sound), signal)
  let samples = 0
  for await (const piece of pieces) samples += piece.length
  return (samples * 1_000) / rate
}

async function* once(sound: Buffer): AsyncGenerator<Uint8Array> {
  yield sound
}
