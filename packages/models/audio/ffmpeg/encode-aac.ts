// Speech as AAC, written by the operator's ffmpeg while it is spoken.
import { ModelProblem } from '../../problem.ts'
import { FfmpegFailed, runFfmpeg } from './run-ffmpeg.ts'

/** `pcm`: 16-bit samples, mono. */
export async function* encodeAac(
  program: string,
  pcm: AsyncIterable<Uint8Array>,
  rate: number,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const input = ['-f', 's16le', '-ar', String(rate), '-ac', '1', '-i', 'pipe:0']
  const output = ['-c:a', 'aac', '-b:a', '64k', '-flush_packets', '1', '-f', 'adts', 'pipe:1']
  try {
    yield* runFfmpeg({ program, input: pcm, args: [...input, ...output] }, signal)
  } catch (error) {
    if (!(error instanceof FfmpegFailed)) throw error
    throw new ModelProblem(`The program for AAC, ${program}, failed: ${error.message}`, { kind: 'failed' })
  }
}
