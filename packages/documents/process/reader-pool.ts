// The reading processes: started when needed, so many at most, kept for the next file, ended when idle. Those who wait
// get theirs in turns: whose files hold the fewest comes first, one process is always left to others, and a long
// reading is broken off when others have none.
import type { Log } from '@atoll/kernel/telemetry/log'
import type { DocumentLimits } from '../limits.ts'
import { problems } from '../problems.ts'
import { Lease, type Taker } from './lease.ts'
import { Reader } from './reader.ts'
import { Waiters } from './waiters.ts'

export class ReaderPool {
  readonly #limits: DocumentLimits
  readonly #log: Log
  readonly #all = new Set<Reader>()
  readonly #idle = new Map<Reader, NodeJS.Timeout>()
  readonly #leases = new Set<Lease>()
  readonly #waiters = new Waiters()
  /** Of one taker. */
  readonly #maxHeld: number
  #nextLook: NodeJS.Timeout | undefined
  #isClosed = false

  constructor(limits: DocumentLimits, log: Log) {
    this.#limits = limits
    this.#log = log
    this.#maxHeld = Math.max(1, limits.processes - 1)
  }

  /** Of the processes that are there. */
  get pids(): number[] {
    return [...this.#all].flatMap(({ pid }) => pid ?? [])
  }

  /** Starts a process for the file that is about to come, if there is none. */
  warm(): void {
    if (!this.#isClosed && this.#idle.size === 0 && this.#all.size < this.#limits.processes) this.#rest(this.#start())
  }

  /** Waits for its turn. `giveBack` must follow. */
  async take(taker: Taker, signal: AbortSignal): Promise<Lease> {
    signal.throwIfAborted()
    if (this.#isClosed) throw problems.closed()
    const turn = this.#waiters.add(taker)
    const leave = (): void => this.#waiters.leave(turn, signal.reason)
    signal.addEventListener('abort', leave, { once: true })
    this.#serve()
    try {
      return await turn.promise
    } finally {
      signal.removeEventListener('abort', leave)
    }
  }

  /** `isFit`: it waits for its next file. Otherwise it is ended, whatever it is doing. */
  giveBack(lease: Lease, isFit: boolean): void {
    const { reader } = lease
    if (!this.#leases.delete(lease)) return
    lease.end()
    if (isFit && !this.#isClosed && !reader.hasEnded) this.#rest(reader)
    else this.#dismiss(reader)
    this.#serve()
  }

  /** Its reading cannot go on for the time being: others may have the process. */
  stall(lease: Lease): void {
    lease.isStalled = true
    this.#makeRoom()
  }

  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#nextLook)
    this.#waiters.refuseAll(problems.closed())
    for (const lease of this.#leases) lease.end()
    await Promise.all([...this.#all].map((reader) => this.#dismiss(reader)))
  }

  #serve(): void {
    for (;;) {
      const next = this.#waiters.next(this.#heldBy, this.#maxHeld)
      const reader = next && this.#free(next.taker)
      if (next === undefined || reader === undefined) break
      this.#waiters.serve(next, this.#lend(reader, next.taker))
    }
    this.#makeRoom()
  }

  #lend(reader: Reader, taker: Taker): Lease {
    // Beside a long reading there is a process for whoever comes next.
    const lease = new Lease(reader, taker, () => this.warm())
    this.#leases.add(lease)
    return lease
  }

  readonly #heldBy = (turn: string): number => {
    let held = 0
    for (const { taker } of this.#leases) if (taker.turn === turn) held++
    return held
  }

  /** Breaks off a reading for one who waits and has none, or much fewer; if it is too early for that, later. */
  #makeRoom(): void {
    clearTimeout(this.#nextLook)
    const waiting = this.#waiters.next(this.#heldBy, this.#maxHeld)
    if (waiting === undefined) return
    const held = this.#heldBy(waiting.taker.turn)
    const least = held === 0 ? 1 : held + 2
    const [victim] = [...this.#leases]
      .filter(({ taker }) => this.#heldBy(taker.turn) >= least)
      .sort((a, b) => a.dueInMs - b.dueInMs || this.#heldBy(b.taker.turn) - this.#heldBy(a.taker.turn))
    if (victim === undefined) return
    if (victim.dueInMs > 0) {
      this.#nextLook = setTimeout(() => this.#makeRoom(), victim.dueInMs)
      this.#nextLook.unref()
      return
    }
    victim.revoke()
    this.giveBack(victim, false)
  }

  #free({ isLarge }: Taker): Reader | undefined {
    const mayStart = this.#all.size < this.#limits.processes
    // The last that has started is left to small files.
    if (isLarge && mayStart && this.#idle.size <= 1) return this.#start()
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
    this.#idle.set(reader, setTimeout(() => this.#tire(reader), this.#limits.idleMs).unref())
  }

  /** The last one stays for longer. */
  #tire(reader: Reader): void {
    const { idleMs, lastIdleMs } = this.#limits
    if (this.#all.size > 1 || lastIdleMs <= idleMs) void this.#dismiss(reader)
    else this.#idle.set(reader, setTimeout(() => this.#dismiss(reader), lastIdleMs - idleMs).unref())
  }

  #dismiss(reader: Reader): Promise<void> {
    clearTimeout(this.#idle.get(reader))
    this.#idle.delete(reader)
    this.#all.delete(reader)
    return reader.kill()
  }
}
