// Records results in groups: one commit for all that came while the last one was under way.
import type { Database } from '@atoll/kernel/db/database'
import * as store from './store.ts'

export class ResultWriter {
  readonly #db: Database
  readonly #batchId: string
  #results: store.BatchResultRow[] = []
  /** Writes what has come, once the one before is done. */
  #next: Promise<void> | undefined
  #last: Promise<unknown> = Promise.resolve()

  constructor(db: Database, batchId: string) {
    this.#db = db
    this.#batchId = batchId
  }

  /** Resolves when the result is on disk, or the batch has ended and it no longer counts. */
  add(result: store.BatchResultRow): Promise<void> {
    this.#results.push(result)
    this.#next ??= this.#last.then(() => this.#write())
    return this.#next
  }

  async #write(): Promise<void> {
    const results = this.#results
    const done = this.#db.transaction(async (tx) => {
      const batch = await store.findBatch(tx, this.#batchId)
      if (batch?.status === 'in_progress') await store.insertResults(tx, results)
    })
    this.#results = []
    this.#next = undefined
    this.#last = done.catch(() => undefined)
    await done
  }
}
