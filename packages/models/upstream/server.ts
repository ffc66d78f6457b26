// Asks the model's servers: waits for a place, tries, tries again elsewhere, and gives the answer as JSON or events.
import type { Clock } from '@atoll/kernel/clock/clock'
import { type ClientSocket, DialRefused } from '@atoll/kernel/http/sockets/dial-socket'
import type { Log } from '@atoll/kernel/telemetry/log'
import type { Call } from '../call.ts'
import { FairQueue } from '../fair-queue.ts'
import { ModelProblem } from '../problem.ts'
import type { RuntimeLoad } from '../runtime.ts'
import { type ByteAnswer, readBytes } from './byte-answer.ts'
import { type Redact, refusal } from './error-body.ts'
import { EventStream } from './event-stream.ts'
import type { Asked, Exchange } from './exchange.ts'
import { encodeForm, type FormPart, fileForm } from './form.ts'
import { Lifetime } from './lifetime.ts'
import { brokenConnection, FailedTry, senseless } from './problems.ts'
import type { Replica } from './replica.ts'
import { Replicas } from './replicas.ts'
import { retryAfterMs } from './retry-after.ts'
import type { UpstreamSettings } from './settings.ts'

const firstPauseMs = 100
const longestPauseMs = 2_000

interface ServerOptions {
  settings: UpstreamSettings
  /** Name, value, name, value. */
  headers: string[]
  redact: Redact
  backgroundShare?: number | undefined
  log: Log
  clock: Clock
}

export interface JsonAnswer {
  json: unknown
  replica: Replica
}

export class Server {
  readonly #options: ServerOptions
  readonly #replicas: Replicas
  readonly #queue: FairQueue
  readonly #headers: string[]
  #isOpen = false

  constructor(options: ServerOptions) {
    const { settings, headers, backgroundShare } = options
    this.#options = options
    this.#headers = [...headers, 'content-type', 'application/json']
    this.#replicas = new Replicas(settings, headers, options)
    // Calls that are let in also wait for a server when some are out, so that none is refused half-way.
    const places = settings.maxConnections * settings.replicas.length
    this.#queue = new FairQueue({ places, maxWaiting: settings.maxWaiting, backgroundShare })
  }

  ask(path: string, body: object, call: Call): Promise<JsonAnswer> {
    return this.#answer(this.#asked(path, body, false), call)
  }

  /** A failed try is the last one. */
  askOnce(path: string, body: object, call: Call): Promise<JsonAnswer> {
    return this.#answer({ ...this.#asked(path, body, false), once: true }, call)
  }

  get(path: string, call: Call): Promise<JsonAnswer> {
    return this.#answer(this.#asking(path, false), call)
  }

  getBytes(path: string, call: Call): Promise<AsyncGenerator<Uint8Array>> {
    return this.#bytes(this.#asking(path, true), call)
  }

  /** A file of this machine, read while it is sent; tried once. */
  async sendFile(
    path: string,
    fields: Record<string, string>,
    file: { name: string; path: string },
    call: Call,
  ): Promise<JsonAnswer> {
    const form = await fileForm(fields, file)
    const headers = [...this.#options.headers, 'content-type', form.contentType, 'content-length', `${form.bytes}`]
    const asked: Asked = { method: 'POST', path, headers, body: form.body, streamed: false, once: true }
    return this.#answer(asked, call).finally(() => form.body.destroy())
  }

  askForm(path: string, parts: readonly FormPart[], call: Call): Promise<JsonAnswer> {
    const { contentType, body } = encodeForm(parts)
    const headers = [...this.#options.headers, 'content-type', contentType]
    return this.#answer({ method: 'POST', path, headers, body, streamed: false }, call)
  }

  /** Resolves once the first bytes are there. */
  bytes(path: string, body: object, call: Call): Promise<AsyncGenerator<Uint8Array>> {
    return this.#bytes(this.#asked(path, body, true), call)
  }

  async #bytes(asked: Asked, call: Call): Promise<AsyncGenerator<Uint8Array>> {
    const leave = await this.#enter(call)
    const lifetime = new Lifetime(call.signal, this.#options.settings.timeouts.totalMs)
    const done = (): void => {
      lifetime.end()
      leave()
    }
    try {
      const answer = await this.#exchange(asked, lifetime, async (exchange): Promise<ByteAnswer> => {
        const first = await exchange.read()
        if (first === undefined) throw senseless('sent nothing')
        return { exchange, first }
      })
      lifetime.during((reason) => answer.exchange.abort(reason))
      return readBytes(answer, done)
    } catch (error) {
      done()
      throw error
    }
  }

  async #answer(asked: Asked, call: Call): Promise<JsonAnswer> {
    const leave = await this.#enter(call)
    const lifetime = new Lifetime(call.signal, this.#options.settings.timeouts.totalMs)
    try {
      return await this.#exchange(asked, lifetime, async (exchange, replica) => ({ json: parse(exchange), replica }))
    } finally {
      lifetime.end()
      leave()
    }
  }

  /** Resolves once the first event is there: until then another try can take over. */
  async stream(path: string, body: object, call: Call): Promise<EventStream> {
    const leave = await this.#enter(call)
    const lifetime = new Lifetime(call.signal, this.#options.settings.timeouts.totalMs)
    const done = (): void => {
      lifetime.end()
      leave()
    }
    try {
      const events = await this.#exchange(this.#asked(path, body, true), lifetime, async (exchange, replica) => {
        const begun = new EventStream({ exchange, replica, redact: this.#options.redact, done })
        await begun.begin()
        return begun
      })
      // Also when whoever reads it leaves without a word.
      lifetime.during((reason) => events.abort(reason))
      return events
    } catch (error) {
      done()
      throw error
    }
  }

  /** A WebSocket of one of the servers, with a place of its own until it closes. */
  async connect(path: string, headers: Record<string, string>, call: Call): Promise<ClientSocket> {
    const leave = await this.#enter(call)
    const { totalMs } = this.#options.settings.timeouts
    const lifetime = new Lifetime(call.signal, totalMs)
    try {
      const all = { ...asRecord(this.#options.headers), ...headers }
      const socket = await this.#attempt(lifetime, (replica) => this.#dial(path, all, replica, lifetime))
      socket.once('close', leave)
      return socket
    } catch (error) {
      leave()
      throw error
    } finally {
      lifetime.end()
    }
  }

  async #dial(path: string, headers: Record<string, string>, replica: Replica, lifetime: Lifetime) {
    const leaving = new AbortController()
    lifetime.during((reason) => leaving.abort(reason))
    try {
      const socket = await replica.dial(path, headers, leaving.signal)
      replica.succeeded()
      socket.once('close', () => replica.free())
      return socket
    } catch (error) {
      replica.free()
      if (!(error instanceof DialRefused)) throw brokenConnection(error as Error)
      throw refusal(error.status, error.body, retryAfterMs(error.headers, this.#options.clock), this.#options.redact)
    }
  }

  load(): RuntimeLoad {
    const { taken, waiting } = this.#queue
    return { running: taken, waiting, isLoaded: this.#replicas.canAnswer }
  }

  close(): Promise<void> {
    return this.#replicas.close()
  }

  #asked(path: string, body: object, streamed: boolean): Asked {
    return { method: 'POST', path, headers: this.#headers, body: JSON.stringify(body), streamed }
  }

  #asking(path: string, streamed: boolean): Asked {
    return { method: 'GET', path, headers: this.#options.headers, body: undefined, streamed }
  }

  async #enter({ turn, signal, background }: Call): Promise<() => void> {
    if (!this.#isOpen) {
      await this.#replicas.open()
      this.#isOpen = true
    }
    if (background) return await this.#queue.takeInBackground(turn, signal)
    if (this.#queue.hasPlaceFor(turn)) return await this.#queue.take(turn, signal)
    const patience = AbortSignal.timeout(this.#options.settings.maxWaitMs)
    try {
      return await this.#queue.take(turn, AbortSignal.any([signal, patience]))
    } catch (error) {
      if (!patience.aborted || signal.aborted) throw error
      const message = "The model's server is busy: no connection became free in time."
      throw new ModelProblem(message, { kind: 'overloaded', retryAfterSeconds: 1 })
    }
  }

  #exchange<T>(
    asked: Asked,
    lifetime: Lifetime,
    use: (exchange: Exchange, replica: Replica) => Promise<T>,
  ): Promise<T> {
    const tryOne = (replica: Replica): Promise<T> => this.#try(asked, lifetime, replica, use)
    return asked.once ? this.#attempt(lifetime, tryOne, 0) : this.#attempt(lifetime, tryOne)
  }

  async #attempt<T>(
    lifetime: Lifetime,
    tryOne: (replica: Replica) => Promise<T>,
    mostRetries = this.#options.settings.retries,
  ): Promise<T> {
    const tried = new Set<Replica>()
    let last: FailedTry | undefined
    for (let retries = 0; ; retries++) {
      const replica = await this.#take(tried, lifetime, last)
      try {
        return await tryOne(replica)
      } catch (error) {
        if (lifetime.reason) throw lifetime.reason
        if (!(error instanceof FailedTry)) throw error
        replica.failed(error)
        if (!error.again || retries >= mostRetries) throw error
        last = error
        tried.add(replica)
        if (!this.#replicas.hasOther(tried)) await lifetime.sleep(pauseMs(retries))
      }
    }
  }

  /** When no server can be asked, what the last one said tells more. */
  async #take(tried: ReadonlySet<Replica>, lifetime: Lifetime, last: FailedTry | undefined): Promise<Replica> {
    try {
      const replica = await this.#replicas.take(tried, lifetime)
      if (!lifetime.reason) return replica
      replica.free()
    } catch (error) {
      if (!lifetime.reason) throw last ? later(last, error) : error
    }
    throw lifetime.reason
  }

  async #try<T>(
    asked: Asked,
    lifetime: Lifetime,
    replica: Replica,
    use: (exchange: Exchange, replica: Replica) => Promise<T>,
  ): Promise<T> {
    const { exchange, started } = replica.exchange(asked, () => replica.free())
    lifetime.during((reason) => exchange.abort(reason))
    try {
      await started
      this.#check(exchange)
      const result = await use(exchange, replica)
      replica.succeeded()
      return result
    } catch (error) {
      exchange.abort(error as Error)
      if (error instanceof FailedTry && error.blame === 'none' && exchange.status !== 0) replica.succeeded()
      throw error
    }
  }

  #check(exchange: Exchange): void {
    const { status, headers } = exchange
    if (status !== 200) {
      throw refusal(status, exchange.text(), retryAfterMs(headers, this.#options.clock), this.#options.redact)
    }
    const encoding = headers['content-encoding']
    if (encoding !== undefined && encoding !== 'identity') throw senseless('sent a compressed answer, unasked')
  }
}

function parse(exchange: Exchange): unknown {
  try {
    return JSON.parse(exchange.text())
  } catch {
    throw senseless('sent an answer that is no JSON')
  }
}

function later(last: FailedTry, error: unknown): unknown {
  if (!(error instanceof FailedTry) || last.detail.kind !== 'upstream') return error
  return new FailedTry(last.message, last.status, { error: last.detail.error, restMs: last.restMs ?? error.restMs })
}

/** Between a half and the whole of twice the pause before. */
const pauseMs = (retries: number): number =>
  Math.min(longestPauseMs, firstPauseMs * 2 ** retries) * (0.5 + Math.random() / 2)

/** Of name, value, name, value. */
function asRecord(headers: readonly string[]): Record<string, string> {
  const record: Record<string, string> = {}
  for (let at = 0; at + 1 < headers.length; at += 2) record[headers[at] as string] = headers[at + 1] as string
  return record
}
