// One run of the operator's program, within its limits.
import { startProgram } from '@atoll/kernel/programs/bounded-program'
import type { Log } from '@atoll/kernel/telemetry/log'
import { problems } from '../problems.ts'

export interface OcrTask {
  /** The program and its arguments. */
  command: readonly string[]
  folder: string
  seconds: number
  memoryMb: number
  outputBytes: number
  log: Log
}

/** What the program writes to its standard output. */
export async function* ocrOutput(task: OcrTask, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  const { command, seconds, outputBytes, log } = task
  const late = new AbortController()
  const stop = AbortSignal.any([signal, late.signal])
  stop.throwIfAborted()
  const timer = setTimeout(() => late.abort(problems.ocrTooSlow(seconds)), seconds * 1_000)
  const run = startProgram(task)
  stop.addEventListener('abort', run.kill)
  try {
    let bytes = 0
    for await (const piece of run.output as AsyncIterable<Uint8Array>) {
      bytes += piece.length
      if (bytes > outputBytes) throw problems.ocrTooMuch()
      yield piece
    }
    const { how, complaint } = await run.ended
    stop.throwIfAborted()
    if (how === 0) return
    log.warn({ program: command[0], how, complaint }, 'The program for text recognition failed.')
    throw problems.ocrFailed()
  } finally {
    clearTimeout(timer)
    stop.removeEventListener('abort', run.kill)
    run.kill()
    await run.ended
  }
}
