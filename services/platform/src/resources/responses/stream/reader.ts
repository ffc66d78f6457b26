// One reader of a response in the background. Every event has its number and is durable before it is told, so that a
// reader that has left goes on where it was.
import type { StreamReader } from '../../../tool-loop/stream-hub.ts'
import { isLast, type ResponseEvent } from './event.ts'

/** A client that takes nothing while so much happens has left without saying so. */
const maxWaitingEvents = 200_000

export interface ReaderOptions {
  /** The last one that the reader has. */
  after: number
  /** Aborted when the reader has left. */
  signal: AbortSignal
}

export class ResponseReader implements StreamReader<ResponseEvent> {
  readonly #onClose: (reader: ResponseReader) => void
  #last: number
  #isOpen = false
  #onOpen: (() => void) | undefined
  #waiting: ResponseEvent[] = []
  #isClosed = false
  #wake: (() => void) | undefined

  constructor({ after, signal }: ReaderOptions, onClose: (reader: ResponseReader) => void) {
    this.#last = after
    this.#onClose = onClose
    signal.addEventListener('abort', () => this.close(), { once: true })
  }

  get isOpen(): boolean {
    return this.#isOpen
  }

  /** The number of the last event it was told. */
  get last(): number {
    return this.#last
  }

  whenOpen(look: () => void): void {
    this.#onOpen = look
  }

  open(events: readonly ResponseEvent[]): void {
    this.#isOpen = true
    this.catchUp(events)
    this.#onOpen?.()
  }

  /** One that comes before those in between is left to the next look into the database. */
  live(event: ResponseEvent): void {
    if (this.#isOpen && event.sequence_number === this.#last + 1) this.#add(event)
  }

  catchUp(events: readonly ResponseEvent[]): void {
    for (const event of events) if (event.sequence_number > this.#last) this.#add(event)
  }

  fail(message: string): void {
    if (this.#isClosed) return
    const error = { type: 'error', code: 'server_error', message, param: null }
    this.#add({ ...error, sequence_number: this.#last + 1 })
    this.close()
  }

  close(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#onClose(this)
    this.#wake?.()
  }

  async *events(): AsyncGenerator<ResponseEvent> {
    try {
      for (;;) {
        const events = this.#waiting
        this.#waiting = []
        yield* events
        if (this.#waiting.length > 0) continue
        if (this.#isClosed) return
        const { promise, resolve } = Promise.withResolvers<void>()
        this.#wake = resolve
        await promise
      }
    } finally {
      this.close()
    }
  }

  #add(event: ResponseEvent): void {
    if (this.#isClosed) return
    this.#last = event.sequence_number
    if (this.#waiting.length >= maxWaitingEvents) {
      this.#waiting = []
      this.close()
      return
    }
    this.#waiting.push(event)
    this.#wake?.()
    if (isLast(event)) this.close()
  }
}
