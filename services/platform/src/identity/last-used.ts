// When a key was last used: noted in memory on every request, written once a minute and at the end.
import type { Database } from '@atoll/kernel/db/database'
import type { Log } from '@atoll/kernel/telemetry/log'
import { markUsed } from './keys/store.ts'

const writeEveryMs = 60_000
/** One transaction holds others up for a moment only. */
const keysPerTransaction = 100

export class LastUsed {
  readonly #db: Database
  readonly #log: Log
  readonly #timer: NodeJS.Timeout
  #usedAt = new Map<string, number>()
  #writing: Promise<void> = Promise.resolve()

  constructor(db: Database, log: Log) {
    this.#db = db
    this.#log = log
    this.#timer = setInterval(() => void this.flush(), writeEveryMs)
    this.#timer.unref()
  }

  /** `now` in milliseconds. */
  note(keyId: string, now: number): void {
    this.#usedAt.set(keyId, now)
  }

  /** Never rejects: a time that could not be written is kept for the next try. */
  flush(): Promise<void> {
    this.#writing = this.#writing.then(() => this.#write())
    return this.#writing
  }

  async close(): Promise<void> {
    clearInterval(this.#timer)
    await this.flush()
  }

  async #write(): Promise<void> {
    const noted = [...this.#usedAt]
    this.#usedAt = new Map()
    for (let from = 0; from < noted.length; from += keysPerTransaction) {
      const some = noted.slice(from, from + keysPerTransaction)
      await this.#writeSome(some).catch((error: unknown) => this.#keep(some, error))
    }
  }

  async #writeSome(noted: [string, number][]): Promise<void> {
    await this.#db.transaction(async (tx) => {
      for (const [keyId, at] of noted) await markUsed(tx, keyId, Math.floor(at / 1000))
    })
  }

  #keep(noted: [string, number][], error: unknown): void {
    this.#log.warn({ err: error, keys: noted.length }, 'could not write when keys were last used; will try again')
    for (const [keyId, at] of noted) {
      if (!this.#usedAt.has(keyId)) this.#usedAt.set(keyId, at)
    }
  }
}
