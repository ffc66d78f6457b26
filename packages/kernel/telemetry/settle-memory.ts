// Loading the code leaves garbage that V8 keeps until there is work: 18 of 94 MB were measured. After a load it keeps
// the room that short-lived values took: 50 to 70 MB were measured. A server gives back the first once, soon after the
// start, and the other when it is quiet again. Each thread does it for itself.
import { performance } from 'node:perf_hooks'
import { getHeapStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** After the work that follows every start. */
const delayMs = 1_000
const lookMs = 1_000
/** Shares of a look's time in which the thread had something to do. */
const busyShare = 0.2
const quietShare = 0.05
/** It takes a tenth of a second: nobody who comes again and again should meet it each time. */
const apartMs = 60_000
const worthBytes = 24 * 1024 * 1024

export function settleMemorySoon(): void {
  setTimeout(settleMemory, delayMs).unref()
}

/** Also later, when a load is over. */
export function keepMemorySettled(): void {
  setTimeout(() => {
    settleMemory()
    watchLoads()
  }, delayMs).unref()
}

function watchLoads(): void {
  const pace = new LoadPace()
  let settledBytes = heapBytes()
  let last = performance.eventLoopUtilization()
  setInterval(() => {
    const now = performance.eventLoopUtilization()
    const { utilization } = performance.eventLoopUtilization(now, last)
    last = now
    pace.heard(utilization)
    if (heapBytes() - settledBytes < worthBytes || !pace.isOver(performance.now())) return
    settleMemory()
    settledBytes = heapBytes()
  }, lookMs).unref()
}

const heapBytes = (): number => getHeapStatistics().total_heap_size

/** Tells when a load has passed: once, and not too often. */
export class LoadPace {
  #wasBusy = false
  #isQuiet = true
  #toldAt = Number.NEGATIVE_INFINITY

  heard(share: number): void {
    if (share > busyShare) this.#wasBusy = true
    this.#isQuiet = share <= quietShare
  }

  isOver(now: number): boolean {
    if (!this.#wasBusy || !this.#isQuiet || now - this.#toldAt < apartMs) return false
    this.#wasBusy = false
    this.#toldAt = now
    return true
  }
}

function settleMemory(): void {
  setFlagsFromString('--expose-gc')
  const collect: unknown = runInNewContext('gc')
  // Compiled code is kept under the flags it was made with: later code must find the same ones.
  setFlagsFromString('--no-expose-gc')
  if (typeof collect === 'function') collect({ type: 'major', execution: 'sync', flavor: 'last-resort' })
}
