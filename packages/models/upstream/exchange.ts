// One request and its answer. The body is collected whole, or read piece by piece at the reader's pace: when the
// reader is slow the socket is paused, so that no more than a few pieces are ever held.
import type { Readable } from 'node:stream'
import type { Dispatcher } from 'undici'
import { answerTooLarge, brokenConnection, FailedTry, timedOut } from './problems.ts'

const pauseAboveBytes = 64 * 1024
const maxErrorBytes = 64 * 1024
/** A server that said its last word gets this long to end the answer, so that the connection can be used again. */
const drainMs = 1_000

export interface ExchangeLimits {
  firstByteMs: number
  idleMs: number
  maxResponseBytes: number
}

export interface Asked {
  method: 'GET' | 'POST'
  /** Below the replica's URL. */
  path: string
  headers: string[]
  /** What is read while it is sent can be sent once. */
  body: string | Uint8Array | Readable | undefined
  /** A failed try is the last one: what it may have begun must not be begun again. */
  once?: boolean
  /** The body of a good answer is read by `read`; else it is collected. */
  streamed: boolean
}

interface Waiting<T> {
  resolve(value: T): void
  reject(reason: Error): void
}

export class Exchange implements Dispatcher.DispatchHandler {
  readonly #limits: ExchangeLimits
  readonly #streamed: boolean
  readonly #released: () => void
  #controller: Dispatcher.DispatchController | undefined
  #timer: NodeJS.Timeout | undefined
  #answered: Waiting<void> | undefined
  #reader: Waiting<Buffer | undefined> | undefined
  #pieces: Buffer[] = []
  #heldBytes = 0
  #bytes = 0
  #state: 'open' | 'draining' | 'ended' | 'failed' = 'open'
  #failure: Error | undefined
  status = 0
  headers: Readonly<Record<string, string | string[] | undefined>> = {}

  /** `released` is called once, when the connection is free or gone. */
  constructor(limits: ExchangeLimits, streamed: boolean, released: () => void) {
    this.#limits = limits
    this.#streamed = streamed
    this.#released = released
  }

  /** Resolves with the head of a streamed answer, or the whole of any other. */
  start(pool: Dispatcher, path: string, { method, headers, body }: Asked): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#answered = { resolve, reject }
      this.#wait(this.#limits.firstByteMs, `no answer within ${this.#limits.firstByteMs} ms`)
      try {
        pool.dispatch({ method, path, headers, body: body ?? null }, this)
      } catch (error) {
        this.abort(brokenConnection(error as Error))
      }
    })
  }

  /** The body that was collected, once. */
  text(): string {
    const [first, second] = this.#pieces
    const whole = second ? Buffer.concat(this.#pieces) : first
    this.#pieces = []
    return whole ? whole.toString() : ''
  }

  /** The next piece of a streamed answer; undefined at its end. */
  read(): Promise<Buffer | undefined> {
    const piece = this.#pieces.shift()
    if (piece) {
      this.#heldBytes -= piece.length
      if (this.#heldBytes === 0 && this.#controller?.paused) this.#resume()
      return Promise.resolve(piece)
    }
    if (this.#failure) return Promise.reject(this.#failure)
    if (this.#state === 'ended') return Promise.resolve(undefined)
    return new Promise((resolve, reject) => {
      this.#reader = { resolve, reject }
    })
  }

  /** Nothing more is wanted. What the server still says is thrown away, for a moment. */
  drain(): void {
    if (this.#state !== 'open') return
    this.#state = 'draining'
    this.#pieces = []
    this.#resume()
    this.#wait(drainMs, 'no end of its answer')
  }

  /** Ends it at once, with its connection. */
  abort(reason: Error): void {
    if (this.#state === 'ended' || this.#state === 'failed') return
    this.#fail(reason)
    this.#controller?.abort(reason)
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    if (this.#failure) controller.abort(this.#failure)
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Readonly<Record<string, string | string[] | undefined>>,
  ): void {
    if (status < 200 || this.#state !== 'open') return
    this.status = status
    this.headers = headers
    // Mostly all of an answer comes together, and there is nothing to wait for.
    process.nextTick(() => this.#waitForMore())
    if (!this.#collects()) this.#answer()
  }

  onResponseData(controller: Dispatcher.DispatchController, piece: Buffer): void {
    if (this.#state !== 'open') return
    this.#timer?.refresh()
    this.#bytes += piece.length
    if (this.#bytes > this.#limits.maxResponseBytes) this.abort(answerTooLarge(this.#limits.maxResponseBytes))
    else if (this.#collects()) this.#collect(piece)
    else this.#pass(controller, piece)
  }

  onResponseEnd(): void {
    if (this.#state === 'failed') return
    this.#state = 'ended'
    this.#finish()
    this.#answer()
    this.#reader?.resolve(undefined)
    this.#reader = undefined
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    if (this.#state !== 'ended' && this.#state !== 'failed') {
      this.#fail(error instanceof FailedTry ? error : brokenConnection(error))
    }
  }

  #collects(): boolean {
    return !this.#streamed || this.status !== 200
  }

  #collect(piece: Buffer): void {
    this.#pieces.push(piece)
    if (this.status >= 300 && this.#bytes > maxErrorBytes) {
      // Enough to know what is wrong.
      this.#answer()
      this.abort(answerTooLarge(maxErrorBytes))
    }
  }

  #pass(controller: Dispatcher.DispatchController, piece: Buffer): void {
    const reader = this.#reader
    if (reader) {
      this.#reader = undefined
      reader.resolve(piece)
      return
    }
    this.#pieces.push(piece)
    this.#heldBytes += piece.length
    if (this.#heldBytes > pauseAboveBytes && !controller.paused) {
      controller.pause()
      // The reader's time is not the server's.
      clearTimeout(this.#timer)
    }
  }

  #answer(): void {
    this.#answered?.resolve()
    this.#answered = undefined
  }

  #resume(): void {
    if (!this.#controller?.paused) return
    this.#controller.resume()
    this.#waitForMore()
  }

  #waitForMore(): void {
    const { idleMs } = this.#limits
    if (this.#state === 'open' && !this.#controller?.paused) this.#wait(idleMs, `nothing more within ${idleMs} ms`)
  }

  #wait(ms: number, what: string): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.abort(timedOut(what)), ms)
  }

  #fail(reason: Error): void {
    this.#state = 'failed'
    this.#failure = reason
    this.#finish()
    this.#answered?.reject(reason)
    this.#answered = undefined
    this.#reader?.reject(reason)
    this.#reader = undefined
  }

  /** Once: both ends of it are final. */
  #finish(): void {
    clearTimeout(this.#timer)
    this.#released()
  }
}
