// A reading process in the hands of one file.
import type { Reader } from './reader.ts'

export interface Taker {
  /** Whose file it is. */
  turn: string
  /** A large file, for which the start of a process matters little. */
  isLarge: boolean
  /** It comes with many others. */
  isOneOfMany: boolean
  /** How often this file's reading was broken off: it may go on for twice as long each time, so that it ends. */
  revocations: number
}

/** Others were waiting: the file is read again later. */
export class Revoked extends Error {
  override readonly name = 'Revoked'
}

/** Counted from the process's first sign of life: one that has yet to start has done nothing that could be lost. */
const longReadingMs = 250
/** A reading is left alone for this long at least. */
const firstTurnMs = 500
const maxDoublings = 12

export class Lease {
  readonly reader: Reader
  readonly taker: Taker
  readonly #onLong: () => void
  readonly #revoke = new AbortController()
  #since: number | undefined
  #longTimer: NodeJS.Timeout | undefined
  /** Has nothing to do: what it read has yet to be taken. */
  isStalled = false

  constructor(reader: Reader, taker: Taker, onLong: () => void) {
    this.reader = reader
    this.taker = taker
    this.#onLong = onLong
    reader.hurry(!taker.isLarge && !taker.isOneOfMany)
  }

  /** Aborted when the process was given to someone else. */
  get revoked(): AbortSignal {
    return this.#revoke.signal
  }

  /** From then on it may be broken off for others. */
  get dueInMs(): number {
    if (this.isStalled) return 0
    const turnMs = firstTurnMs * 2 ** Math.min(maxDoublings, this.taker.revocations)
    const readMs = this.#since === undefined ? 0 : performance.now() - this.#since
    return Math.max(0, turnMs - readMs)
  }

  begin(): void {
    this.#since = performance.now()
    this.#longTimer = setTimeout(() => {
      this.reader.hurry(false)
      this.#onLong()
    }, longReadingMs)
    this.#longTimer.unref()
  }

  revoke(): void {
    this.#revoke.abort(new Revoked('other files were waiting to be read'))
  }

  end(): void {
    clearTimeout(this.#longTimer)
  }
}
