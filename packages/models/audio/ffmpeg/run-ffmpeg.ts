// The operator's own ffmpeg, for what Atoll brings no codec of: in a folder and a process group of its own, within
// limits, killed when it takes too long or nobody wants its output any more.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { startProgram } from '@atoll/kernel/programs/bounded-program'

const memoryMb = 1_024
/** Without a sign of life: it works many times faster than the sound lasts. */
const idleMs = 60_000

/** It gave up, or was given up. */
export class FfmpegFailed extends Error {
  override readonly name = 'FfmpegFailed'
}

interface FfmpegTask {
  program: string
  /** A file that it can seek in, and its name among the arguments. */
  file?: { name: string; bytes: Uint8Array }
  /** What it reads as it comes. */
  input?: AsyncIterable<Uint8Array>
  args: readonly string[]
}

/** What it writes to its standard output. */
export async function* runFfmpeg(task: FfmpegTask, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  const { program, file, input, args } = task
  signal.throwIfAborted()
  const folder = await mkdtemp(join(tmpdir(), 'atoll-audio-'))
  try {
    if (file !== undefined) await writeFile(join(folder, file.name), file.bytes)
    const command = [program, '-v', 'error', '-nostdin', '-threads', '1', ...args]
    const run = startProgram({ command, folder, memoryMb, readsInput: input !== undefined })
    signal.addEventListener('abort', run.kill)
    let late = setTimeout(run.kill, idleMs)
    const fed = input === undefined || run.input === null ? undefined : feed(input, run.input)
    try {
      for await (const piece of run.output as AsyncIterable<Uint8Array>) {
        clearTimeout(late)
        late = setTimeout(run.kill, idleMs)
        yield piece
      }
      const { how, complaint } = await run.ended
      signal.throwIfAborted()
      // What could not be made is no fault of the program.
      await fed?.then((error) => {
        if (error !== undefined) throw error
      })
      if (how !== 0) throw new FfmpegFailed(`it ended with ${how}: ${complaint}`)
    } finally {
      clearTimeout(late)
      signal.removeEventListener('abort', run.kill)
      run.kill()
      await run.ended
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Resolves with what went wrong with the input itself; that the program stopped reading shows in how it ends. */
async function feed(input: AsyncIterable<Uint8Array>, to: Writable): Promise<unknown> {
  let broken: unknown
  const watched = async function* (): AsyncGenerator<Uint8Array> {
    try {
      yield* input
    } catch (error) {
      broken = error
      throw error
    }
  }
  await pipeline(watched(), to).catch(() => undefined)
  return broken
}
