// One run of the operator's program. It works in a folder of its own, at low priority and within limits; its children end
// with it, and all of them end when the server does, however that came about.
import { type ChildProcess, spawn } from 'node:child_process'
import type { Readable } from 'node:stream'
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

/** Of one file that the program writes on its way. */
const maxFileMegabytes = 2_048
const blocksPerMegabyte = 2_048
const priority = 10
const keptComplaint = 4_000

/**
 * The other end of pipe 3 is the server's: when it closes, whoever waits for a line from it ends the whole group.
 * Memory is bounded where the system can, and the program is the first to go when it is short.
 */
const boundedStart = `
echo 1000 2>/dev/null >/proc/self/oom_score_adj
ulimit -c 0; ulimit -d "$1"; ulimit -f "$2"; folder=$3; shift 3
(read -r _ <&3; rm -rf -- "$folder"; kill -9 0) >/dev/null 2>&1 &
exec nice -n ${priority} "$@" 3<&-`

/** What the program writes to its standard output. */
export async function* ocrOutput(task: OcrTask, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  const { command, seconds, outputBytes, log } = task
  const late = new AbortController()
  const stop = AbortSignal.any([signal, late.signal])
  stop.throwIfAborted()
  const timer = setTimeout(() => late.abort(problems.ocrTooSlow(seconds)), seconds * 1_000)
  const run = start(task)
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

interface Run {
  output: Readable
  /** Resolves when nobody of the group writes any more. */
  ended: Promise<{ how: unknown; complaint: string }>
  kill(): void
}

function start({ command, folder, memoryMb }: OcrTask): Run {
  const limits = [memoryMb * 1024, maxFileMegabytes * blocksPerMegabyte].map(String)
  const child = spawn('/bin/sh', ['-c', boundedStart, 'sh', ...limits, folder, ...command], {
    cwd: folder,
    // A group of its own.
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    // None of the server's secrets.
    env: { PATH: process.env.PATH, HOME: folder, TMPDIR: folder, LANG: 'C.UTF-8' },
  })
  let hasExited = false
  const kill = (): void => {
    if (!hasExited) killGroup(child)
  }
  child.once('exit', () => {
    // Those it left behind, while its number is still its own.
    kill()
    hasExited = true
  })
  const { stdout: output, stderr: errors } = child as ChildProcess & { stdout: Readable; stderr: Readable }
  let complaint = ''
  errors.setEncoding('utf8').on('data', (text: string) => {
    complaint = (complaint + text).slice(-keptComplaint)
  })
  const ended = Promise.withResolvers<{ how: unknown; complaint: string }>()
  child.once('error', (error) => ended.resolve({ how: error.message, complaint }))
  child.once('close', (code, signal) => ended.resolve({ how: signal ?? code, complaint }))
  return { output, ended: ended.promise, kill }
}

function killGroup({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL')
  } catch {
    // It has ended already.
  }
}
