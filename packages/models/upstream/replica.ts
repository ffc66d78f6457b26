// One server of a set: its connections, what it does now, and whether it can be asked.
import { createHash } from 'node:crypto'
import type { Clock } from '@atoll/kernel/clock/clock'
import { type ClientSocket, dialSocket } from '@atoll/kernel/http/sockets/dial-socket'
import type { Pool } from 'undici'
import { type Asked, Exchange, type ExchangeLimits } from './exchange.ts'
import type { FailedTry } from './problems.ts'
import type { UpstreamSettings } from './settings.ts'

/** So many failures in a row, of a server that can be reached, take it out. */
const failuresUntilOut = 3
const firstOutMs = 250
const longestOutMs = 30_000
/** Idle connections end before most servers would end them. */
const keepAliveMs = 30_000

export interface ReplicaState {
  out: boolean
  reason?: string
  forMs?: number
}

interface ReplicaOptions {
  url: string
  weight: number
  settings: UpstreamSettings
  clock: Clock
  /** Told when it goes out or comes back, when a place is free, and when it was asked to be left alone. */
  changed(replica: Replica, state?: ReplicaState): void
  /** Whether there is another one to ask. */
  hasOther(replica: Replica): boolean
}

export class Replica {
  readonly origin: string
  readonly weight: number
  /** For answers without one: differs between servers, for they may differ. */
  readonly fingerprint: string
  readonly #options: ReplicaOptions
  readonly #path: string
  readonly #limits: ExchangeLimits
  #pool: Pool | undefined
  #aside: Pool | undefined
  #inFlight = 0
  #failures = 0
  /** Times it went out without a success in between. */
  #outs = 0
  #out = false
  #outUntil = 0
  #restUntil = 0
  #heardAt = Number.NEGATIVE_INFINITY
  /** What it said when it asked to be left alone. */
  restStatus = 503

  constructor(options: ReplicaOptions) {
    const url = new URL(options.url)
    this.#options = options
    this.origin = url.origin
    this.#path = url.pathname.replace(/\/+$/, '')
    this.weight = options.weight
    const { timeouts, maxResponseBytes } = options.settings
    this.#limits = { firstByteMs: timeouts.firstByteMs, idleMs: timeouts.idleMs, maxResponseBytes }
    const digest = createHash('sha256').update(`${url.href}\n${options.settings.model}`).digest('hex')
    this.fingerprint = `fp_${digest.slice(0, 10)}`
  }

  get inFlight(): number {
    return this.#inFlight
  }

  get isOut(): boolean {
    return this.#out
  }

  get hasRoom(): boolean {
    return this.#inFlight < this.#options.settings.maxConnections
  }

  /** When it last answered, in milliseconds of the clock. */
  get heardAt(): number {
    return this.#heardAt
  }

  /** Milliseconds until it may be asked; 0: now. Of one that is out: until it is looked after. */
  awayMs(): number {
    if (!this.#out && this.#restUntil === 0) return 0
    const now = this.#options.clock.now()
    const rest = this.#restUntil - now
    if (!this.#out) return Math.max(0, rest)
    return Math.max(1, rest, this.#outUntil - now)
  }

  async open(): Promise<void> {
    if (this.#pool) return
    const { Pool } = await import('undici')
    const { maxConnections, timeouts } = this.#options.settings
    const options = {
      pipelining: 1,
      allowH2: false,
      connectTimeout: timeouts.connectMs,
      keepAliveTimeout: keepAliveMs,
      // The exchange has more exact ones.
      headersTimeout: 0,
      bodyTimeout: 0,
    }
    this.#pool ??= new Pool(this.origin, { ...options, connections: maxConnections })
    // A question for its health must not wait behind long answers.
    this.#aside ??= new Pool(this.origin, { ...options, connections: 1 })
  }

  /** A place that `hasRoom` has told of. `free` gives it back. */
  take(): void {
    this.#inFlight++
  }

  free(): void {
    this.#inFlight--
    this.#options.changed(this)
  }

  /** `released` is called once, when the connection is free or gone. */
  exchange(asked: Asked, released: () => void): { exchange: Exchange; started: Promise<void> } {
    if (!this.#pool) throw new Error('the replica is not open')
    const exchange = new Exchange(this.#limits, asked.streamed, released)
    return { exchange, started: exchange.start(this.#pool, this.#path + asked.path, asked) }
  }

  /** Open and paused; it holds the place that was taken. */
  dial(path: string, headers: Record<string, string>, signal: AbortSignal): Promise<ClientSocket> {
    const { timeouts, maxResponseBytes: maxMessageBytes } = this.#options.settings
    const url = this.origin.replace(/^http/, 'ws') + this.#path + path
    return dialSocket(url, { headers, handshakeMs: timeouts.connectMs, maxMessageBytes, signal })
  }

  /** Asks without taking a place. Resolves with the status of the answer. */
  async check(path: string, headers: string[], timeoutMs: number): Promise<number> {
    if (!this.#aside) throw new Error('the replica is not open')
    const limits = { ...this.#limits, firstByteMs: timeoutMs, idleMs: timeoutMs }
    const exchange = new Exchange(limits, false, () => {})
    const asked = { method: 'GET', path, headers, body: undefined, streamed: false } as const
    await exchange.start(this.#aside, this.#path + path, asked)
    return exchange.status
  }

  succeeded(): void {
    this.#failures = 0
    this.#outs = 0
    this.#heardAt = this.#options.clock.now()
  }

  failed({ blame, restMs, status, message }: FailedTry): void {
    if (restMs !== undefined) this.#rest(restMs, status)
    if (blame === 'none') return
    this.#failures++
    if (this.#out) return
    // The last one is asked however it fails: a request that no server can answer must not take all of them away.
    const fails = this.#failures >= failuresUntilOut && this.#options.hasOther(this)
    if (blame === 'unreachable' || fails) this.#goOut(message)
  }

  /** The answer to a health check of one that is out: one more failure takes it out again, for longer. */
  recovered(): void {
    this.#heardAt = this.#options.clock.now()
    if (!this.#out) return
    this.#out = false
    this.#failures = failuresUntilOut - 1
    this.#options.changed(this, { out: false })
  }

  stillFailing(): void {
    if (this.#out) this.#away()
  }

  async close(): Promise<void> {
    await Promise.all([this.#pool?.destroy(), this.#aside?.destroy()])
  }

  #rest(ms: number, status: number): void {
    this.#restUntil = Math.max(this.#restUntil, this.#options.clock.now() + ms)
    this.restStatus = status
    this.#options.changed(this)
  }

  #goOut(reason: string): void {
    this.#out = true
    const forMs = this.#away()
    this.#options.changed(this, { out: true, reason, forMs })
  }

  #away(): number {
    const full = Math.min(longestOutMs, firstOutMs * 2 ** this.#outs)
    this.#outs = Math.min(this.#outs + 1, 16)
    // Not all who lost it come back in the same moment.
    const forMs = Math.round(full * (0.75 + Math.random() / 4))
    this.#outUntil = this.#options.clock.now() + forMs
    return forMs
  }
}
