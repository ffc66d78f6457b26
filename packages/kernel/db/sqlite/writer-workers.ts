// Threads for writers. Whoever opens one database after the other, as tests do, can have the threads of closed ones kept
// for the next: to start one takes as long as all else that an opening does.
import { Worker } from 'node:worker_threads'
import type { Request } from './protocol.ts'

// A cap, not a reservation; the young generation is kept small because it is what an idle thread holds.
const memoryLimits = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 8 }

const idle = new Set<Worker>()
let maxIdle = 0

/** How many threads without a file may wait. A server needs none. */
export function keepIdleWriters(count: number): void {
  maxIdle = count
  for (const worker of [...idle].slice(count)) end(worker)
}

/** It opens the file, says so, and is the caller's. */
export function takeWorker(file: string): Worker {
  const [kept] = idle
  if (kept === undefined) {
    return new Worker(new URL('./writer-thread.ts', import.meta.url), {
      name: 'sqlite-writer',
      workerData: file,
      resourceLimits: memoryLimits,
    })
  }
  idle.delete(kept)
  forgetListeners(kept)
  kept.ref()
  kept.postMessage({ kind: 'open', file } satisfies Request)
  return kept
}

export const mayKeepWorker = (): boolean => idle.size < maxIdle

/** Has closed its file and stays. It does not keep the process from ending. */
export function keepWorker(worker: Worker): void {
  forgetListeners(worker)
  const forget = (): void => void idle.delete(worker)
  worker.on('error', forget).on('exit', forget)
  worker.unref()
  idle.add(worker)
}

function end(worker: Worker): void {
  idle.delete(worker)
  void worker.terminate()
}

function forgetListeners(worker: Worker): void {
  for (const event of ['message', 'error', 'exit']) worker.removeAllListeners(event)
}
