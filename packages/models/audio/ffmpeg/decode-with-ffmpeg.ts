// AAC, which may not be shipped, decoded by the operator's ffmpeg.
import { ModelProblem } from '../../problem.ts'
import { AudioFormatProblem, type Sound } from '../wav.ts'
import { FfmpegFailed, runFfmpeg } from './run-ffmpeg.ts'

const rate = 16_000
const bytesPerSample = 4

/** The program's own names of the formats: it is told, so that a file cannot claim to be a list of others. */
export type AacContainer = 'mov' | 'aac'

/** By a file's first bytes; undefined: it is neither MPEG-4 nor bare AAC. */
export function aacContainer(start: Uint8Array): AacContainer | undefined {
  if (Buffer.from(start.subarray(4, 8)).toString('latin1') === 'ftyp') return 'mov'
  // The frame's mark, with the layer that MP3 does not have.
  const isAdts = start[0] === 0xff && ((start[1] ?? 0) & 0xf6) === 0xf0
  return isAdts ? 'aac' : undefined
}

export async function decodeWithFfmpeg(
  program: string,
  container: AacContainer,
  file: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): Promise<Sound> {
  const pieces: Uint8Array[] = []
  for await (const piece of file) pieces.push(piece)
  const input = ['-protocol_whitelist', 'file', '-f', container, '-i', 'sound']
  const output = ['-map', '0:a:0', '-vn', '-ac', '1', '-ar', String(rate), '-f', 'f32le', 'pipe:1']
  const task = { program, file: { name: 'sound', bytes: Buffer.concat(pieces) }, args: [...input, ...output] }
  const samples = samplesOf(runFfmpeg(task, signal))
  const first = await samples.next().catch((error: unknown) => {
    throw error instanceof FfmpegFailed ? new AudioFormatProblem('it is damaged, or there is no sound in it') : error
  })
  if (first.done) throw new AudioFormatProblem('there is no sound in it')
  return { rate, pieces: rest(first.value, samples) }
}

async function* rest(first: Float32Array, samples: AsyncGenerator<Float32Array>): AsyncGenerator<Float32Array> {
  try {
    yield first
    yield* samples
  } catch (error) {
    if (!(error instanceof FfmpegFailed)) throw error
    throw new ModelProblem(
      'The audio file could not be decoded: it is damaged, or takes too long or too much memory.',
      {
        kind: 'invalid',
        param: 'file',
      },
    )
  } finally {
    await samples.return(undefined)
  }
}

async function* samplesOf(output: AsyncIterable<Uint8Array>): AsyncGenerator<Float32Array> {
  let kept = Buffer.alloc(0)
  for await (const piece of output) {
    const bytes = Buffer.concat([kept, piece])
    const whole = bytes.length - (bytes.length % bytesPerSample)
    kept = bytes.subarray(whole)
    if (whole === 0) continue
    // Copied to where numbers may lie.
    const samples = new Float32Array(new Uint8Array(bytes.subarray(0, whole)).buffer)
    yield samples.map((sample) => (Number.isFinite(sample) ? sample : 0))
  }
}
