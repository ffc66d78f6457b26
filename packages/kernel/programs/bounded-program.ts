// One run of a program of the operator's. It works in a folder of its own, at low priority and within limits; its children
// end with it, and all of them end when the server does, however that came about.
import { type ChildProcess, spawn } from 'node:child_process'
import type { Readable, Writable } from 'node:stream'

export interface BoundedProgram {
  /** The program and its arguments. */
  command: readonly string[]
  folder: string
  /** Of each of its processes. */
  memoryMb: number
  /** It reads what is written to `input`; else it finds nothing there. */
  readsInput?: boolean
}

export interface ProgramRun {
  input: Writable | null
  output: Readable
  /** Resolves when nobody of the group writes any more. */
  ended: Promise<{ how: unknown; complaint: string }>
  kill(): void
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
(read -r _ <&3; rm -rf -- "$folder"; kill -9 0) >/dev/null 2>&1 </dev/null &
exec nice -n ${priority} "$@" 3<&-`

export function startProgram({ command, folder, memoryMb, readsInput = false }: BoundedProgram): ProgramRun {
  const limits = [memoryMb * 1024, maxFileMegabytes * blocksPerMegabyte].map(String)
  const child = spawn('/bin/sh', ['-c', boundedStart, 'sh', ...limits, folder, ...command], {
    cwd: folder,
    // A group of its own.
    detached: true,
    stdio: [readsInput ? 'pipe' : 'ignore', 'pipe', 'pipe', 'pipe'],
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
  return { input: child.stdin, output, ended: ended.promise, kill }
}

function killGroup({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL')
  } catch {
    // It has ended already.
  }
}
