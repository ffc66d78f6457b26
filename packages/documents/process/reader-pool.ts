// The reading processes: started when needed, so many at most, kept for the next file, ended when idle.
import type { Log } from '@atoll/kernel/telemetry/log'
import type { DocumentLimits } from '../limits.ts'
import { problems } from '../problems.ts'
import { Reader } from './reader.ts'

export class ReaderPool {
  readonly #limits: DocumentLimits
  readonly #log: Log
  readonly #all = new Set<Reader>()
  readonly #idle = new Map<Reader, NodeJS.Timeout>()
  readonly #waiting = new Set<PromiseWithResolvers<Reader>>()
  #isClosed = false

  constructor(limits: DocumentLimits, log: Log) {
    this.#limits = limits
    this.#log = log
  }

  /** Of the processes that are there. */
  get pids(): number[] {
    return [...this.#all].flatMap(({ pid }) => pid ?? [])
  }

  /** Waits for its turn, first come, first served. `giveBack` must follow. */
  async take(signal: AbortSignal): Promise<Reader> {
    signal.throwIfAborted()
    if (this.#isClosed) throw problems.closed()
    const free = this.#free()
    if (free !== undefined) return free
    const turn = Promise.withResolvers<Reader>()
    this.#waiting.add(turn)
    const abort = (): void => {
      if (this.#waiting.delete(turn)) turn.reject(signal.reason)
    }
    signal.addEventListener('abort', abort, { once: true })
    try {
      return await turn.promise
    } finally {
      signal.removeEventListener('abort', abort)
    }
  }

  /** `isFit`: it waits for its next file. Otherwise it is ended, whatever it is doing. */
  giveBack(reader: Reader, isFit: boolean): void {
    if (isFit && !this.#isClosed && !reader.hasEnded) this.#rest(reader)
    else this.#dismiss(reader)
    const [next] = this.#waiting
    if (next === undefined) return
    const free = this.#free()
    if (free === undefined) return
    this.#waiting.delete(next)
    next.resolve(free)
  }

  async close(): Promise<void> {
    this.#isClosed = true
    for (const turn of this.#waiting) turn.reject(problems.closed())
    this.#waiting.clear()
    await Promise.all([...this.#all].map((reader) => this.#dismiss(reader)))
  }

  #free(): Reader | undefined {
    for (const [reader, timer] of this.#idle) {
      clearTimeout(timer)
      this.#idle.delete(reader)
      if (reader.hasEnded) this.#all.delete(reader)
      else {
        reader.setIdle(false)
        return reader
      }
    }
    return this.#all.size < this.#limits.processes ? this.#start() : undefined
  }

  #start(): Reader {
    const reader = new Reader(this.#limits, this.#log)
    this.#all.add(reader)
    return reader
  }

  #rest(reader: Reader): void {
    reader.setIdle(true)
    const timer = setTimeout(() => this.#dismiss(reader), this.#limits.idleMs)
    timer.unref()
    this.#idle.set(reader, timer)
  }

  #dismiss(reader: Reader): Promise<void> {
    clearTimeout(this.#idle.get(reader))
    this.#idle.delete(reader)
    this.#all.delete(reader)
    return reader.kill()
  }
}
