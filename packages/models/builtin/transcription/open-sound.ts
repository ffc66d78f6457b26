// A sound file as the model hears it: mono, 16,000 samples a second, in pieces of whole frames.
import { decode } from '../../audio/decoding/decode.ts'
import { aacContainer, decodeWithFfmpeg } from '../../audio/ffmpeg/decode-with-ffmpeg.ts'
import { Resampler } from '../../audio/resampler.ts'
import { AudioFormatProblem, isWav, readWav, type Sound } from '../../audio/wav.ts'
import { ModelProblem } from '../../problem.ts'
import type { AudioFile } from '../../transcribe.ts'

export const soundRate = 16_000
const pieceBytes = 32 * 1024
/** Half a second at a time goes to the model's process. */
const blockSamples = 16 * 512

/** The last block is shorter. */
export async function* openSound(
  file: AudioFile,
  signal: AbortSignal,
  ffmpeg: string | undefined,
): AsyncGenerator<Float32Array> {
  const bytes = inPieces(file.open(), signal)
  const first = await bytes.next()
  if (first.done) throw unreadable('it is empty')
  const sound = await soundOf(startingWith(first.value, bytes), signal, ffmpeg)
  yield* inBlocks(resampled(sound))
}

async function soundOf(
  bytes: AsyncIterable<Uint8Array> & { start: Uint8Array },
  signal: AbortSignal,
  ffmpeg: string | undefined,
): Promise<Sound> {
  try {
    if (isWav(bytes.start)) return await readWav(bytes)
    const container = ffmpeg && aacContainer(bytes.start)
    if (ffmpeg && container) return await decodeWithFfmpeg(ffmpeg, container, bytes, signal)
    return await decode(bytes, signal)
  } catch (error) {
    if (error instanceof AudioFormatProblem) throw unreadable(error.message)
    throw error
  }
}

const unreadable = (why: string): ModelProblem =>
  new ModelProblem(`The audio file could not be decoded: ${why}.`, { kind: 'invalid', param: 'file' })

/** No piece is so large that working on it holds up others. */
async function* inPieces(bytes: AsyncIterable<Uint8Array>, signal: AbortSignal): AsyncGenerator<Uint8Array, undefined> {
  for await (const piece of bytes) {
    for (let at = 0; at < piece.length; at += pieceBytes) {
      signal.throwIfAborted()
      yield piece.subarray(at, at + pieceBytes)
    }
  }
}

const startingWith = (start: Uint8Array, rest: AsyncGenerator<Uint8Array>) => ({
  start,
  async *[Symbol.asyncIterator]() {
    yield start
    yield* rest
  },
})

async function* resampled({ rate, pieces }: Sound): AsyncGenerator<Float32Array> {
  if (rate === soundRate) return yield* pieces
  const resampler = new Resampler(rate, soundRate)
  for await (const piece of pieces) yield resampler.push(piece)
  yield resampler.end()
}

async function* inBlocks(pieces: AsyncIterable<Float32Array>): AsyncGenerator<Float32Array> {
  let block = new Float32Array(blockSamples)
  let filled = 0
  for await (const piece of pieces) {
    for (let at = 0; at < piece.length; ) {
      const some = piece.subarray(at, at + blockSamples - filled)
      block.set(some, filled)
      filled += some.length
      at += some.length
      if (filled < blockSamples) continue
      yield block
      block = new Float32Array(blockSamples)
      filled = 0
    }
  }
  if (filled > 0) yield block.subarray(0, filled)
}
