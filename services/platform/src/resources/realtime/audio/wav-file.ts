// Clips as the file that transcription models take: 16,000 samples a second, made while it is read.
import { setImmediate } from 'node:timers/promises'
import type { AudioFile } from '@atoll/models/transcribe'
import { bytesOfMs, type Clip, decodeSamples, encodeSamples, msOf, rateOf } from './formats.ts'
import { Resampler } from './resampler.ts'

const rate = 16_000
/** Made at once: a long sound leaves turns for others. */
const pieceMs = 500

export const wavFile = (clips: readonly Clip[]): AudioFile => ({
  name: 'speech.wav',
  async *open() {
    const samples = clips.reduce((sum, clip) => sum + Math.ceil((msOf(clip) * rate) / 1000), 0)
    yield header(samples * 2)
    let left = samples * 2
    for await (const bytes of pieces(clips)) {
      const piece = bytes.subarray(0, left)
      left -= piece.length
      if (piece.length > 0) yield piece
    }
    // A filter may round the last sample away: the file is as long as its head says.
    if (left > 0) yield Buffer.alloc(left)
  },
})

async function* pieces(clips: readonly Clip[]): AsyncGenerator<Buffer> {
  for (const clip of clips) {
    const resampler = new Resampler(rateOf(clip.format), rate)
    const step = bytesOfMs(clip.format, pieceMs)
    for (let at = 0; at < clip.bytes.length; at += step) {
      const part = { format: clip.format, bytes: clip.bytes.subarray(at, at + step) }
      yield encodeSamples('pcm16', resampler.push(decodeSamples(part)))
      await setImmediate()
    }
    yield encodeSamples('pcm16', resampler.end())
  }
}

function header(dataBytes: number): Buffer {
  const head = Buffer.alloc(44)
  head.write('RIFF', 0)
  head.writeUInt32LE(36 + dataBytes, 4)
  head.write('WAVEfmt ', 8)
  head.writeUInt32LE(16, 16)
  head.writeUInt16LE(1, 20)
  head.writeUInt16LE(1, 22)
  head.writeUInt32LE(rate, 24)
  head.writeUInt32LE(rate * 2, 28)
  head.writeUInt16LE(2, 32)
  head.writeUInt16LE(16, 34)
  head.write('data', 36)
  head.writeUInt32LE(dataBytes, 40)
  return head
}
