// The events of a streamed answer, one JSON object each, as they arrive.
import { errorEvent, isObject, type Redact } from './error-body.ts'
import type { Exchange } from './exchange.ts'
import { eventTooLarge, FailedTry, senseless } from './problems.ts'
import type { Replica } from './replica.ts'
import { EventTooLarge, SseReader } from './sse.ts'

const maxEventBytes = 4 * 1024 * 1024
const lastEvent = '[DONE]'

interface EventStreamOptions {
  exchange: Exchange
  replica: Replica
  redact: Redact
  /** Nothing more is read. */
  done(): void
}

export class EventStream {
  readonly replica: Replica
  readonly #exchange: Exchange
  readonly #redact: Redact
  readonly #done: () => void
  readonly #reader = new SseReader(maxEventBytes)
  #first: Record<string, unknown> | undefined
  #isOver = false
  /** Whether the server said so itself. */
  #saidDone = false

  constructor({ exchange, replica, redact, done }: EventStreamOptions) {
    this.#exchange = exchange
    this.replica = replica
    this.#redact = redact
    this.#done = done
  }

  get saidDone(): boolean {
    return this.#saidDone
  }

  async begin(): Promise<void> {
    const type = String(this.#exchange.headers['content-type'] ?? 'text/event-stream')
    if (!/^text\/event-stream\b/i.test(type)) throw senseless('does not stream: it sent something else than events')
    this.#first = await this.#read()
    // Nothing was passed on yet, so it is the same as a connection cut before the answer.
    if (!this.#first && !this.#saidDone) {
      throw new FailedTry("The model's server ended its stream before the first event.", 502, {
        again: true,
        blame: 'failing',
      })
    }
  }

  /** An event that is here already. Undefined: none, `next` waits for it. */
  take(): Record<string, unknown> | undefined {
    const first = this.#first
    if (first) {
      this.#first = undefined
      return first
    }
    if (this.#isOver) return undefined
    try {
      return this.#parse()
    } catch (error) {
      throw this.#blamed(error)
    }
  }

  /** The next event; undefined after the last one. */
  async next(): Promise<Record<string, unknown> | undefined> {
    try {
      return this.#isOver ? undefined : await this.#read()
    } catch (error) {
      throw this.#blamed(error)
    }
  }

  /** Must be called at last. Leaves the connection usable when the server has said all. */
  close(): void {
    if (this.#saidDone) this.#exchange.drain()
    else this.#exchange.abort(senseless('was left in the middle of its answer'))
    this.#done()
  }

  /** Ends it at once; `close` may still be called. */
  abort(reason: Error): void {
    this.#exchange.abort(reason)
    this.#done()
  }

  #blamed(error: unknown): unknown {
    if (error instanceof FailedTry) this.replica.failed(error)
    return error
  }

  async #read(): Promise<Record<string, unknown> | undefined> {
    for (;;) {
      const event = this.#parse()
      if (event || this.#isOver) return event
      const piece = await this.#exchange.read()
      if (piece) this.#reader.push(piece)
      else this.#isOver = true
    }
  }

  #parse(): Record<string, unknown> | undefined {
    const data = this.#data()
    if (data === undefined) return undefined
    if (data === lastEvent) {
      this.#isOver = true
      this.#saidDone = true
      return undefined
    }
    let event: unknown
    try {
      event = JSON.parse(data)
    } catch {
      throw senseless('sent an event that is no JSON')
    }
    if (!isObject(event)) throw senseless('sent an event that is no object')
    if (event.error !== undefined && event.error !== null) throw errorEvent(event, this.#redact)
    return event
  }

  #data(): string | undefined {
    try {
      return this.#reader.next()
    } catch (error) {
      throw error instanceof EventTooLarge ? eventTooLarge(maxEventBytes) : error
    }
  }
}
