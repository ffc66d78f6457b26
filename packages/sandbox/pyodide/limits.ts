// What a session of the sandbox may take. Each has an end that Python code cannot move.
import { totalmem } from 'node:os'

const gigabyte = 1024 ** 3

export interface SandboxLimits {
  /** Of one run. */
  cpuSeconds: number
  /** Of one run, waiting and sleeping included. */
  wallSeconds: number
  /** For Python's objects. Beyond it Python raises MemoryError; the process has room for its own needs besides. */
  memoryMegabytes: number
  /** Printed by one run. */
  outputBytes: number
  /** In all files of a session together. Beyond it writing fails as on a full disk. */
  fileBytes: number
  /** Files and folders of a session. */
  fileCount: number
  /** Files that one run hands back, and their bytes together. */
  returnedFiles: number
  returnedBytes: number
  /** Processes with a session at once. The one that was idle longest makes room for a new one. */
  sessions: number
  /** A session that nobody used for so long is closed. */
  idleSeconds: number
  /** One that was used so recently does not make room for another: its caller is about to go on. */
  graceSeconds: number
  /** How long a new session waits for a place while all are at work. */
  placeSeconds: number
}

export const defaultLimits: SandboxLimits = {
  cpuSeconds: 60,
  wallSeconds: 120,
  memoryMegabytes: 512,
  outputBytes: 1024 ** 2,
  fileBytes: 256 * 1024 ** 2,
  fileCount: 2_000,
  returnedFiles: 100,
  returnedBytes: 128 * 1024 ** 2,
  // A busy one can take a gigabyte: half of the machine at most.
  sessions: Math.max(2, Math.min(16, Math.floor(totalmem() / (2 * gigabyte)))),
  idleSeconds: 20 * 60,
  graceSeconds: 5,
  placeSeconds: 60,
}
