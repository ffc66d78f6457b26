// Who did what, in order. Each entry carries the hash of the one before it, so that none can be changed, added or taken
// out later without all that follow giving it away.
import type { Clock } from '../clock/clock.ts'
import type { Database, Tx } from '../db/database.ts'
import { rowAfter } from './link.ts'
import { appendRow, findHead, newestRows } from './store.ts'
import { type AlsoCheck, type ChainReport, verifyChain } from './verify.ts'

export interface Recorded {
  seq: number
  /** ISO 8601. */
  at: string
}

interface Parts {
  db: Database
  clock: Clock
}

export class AuditChain<Entry extends object> {
  readonly #parts: Parts
  readonly #name: string
  /** One after the other: entries written at once would only wait for each other in the database. */
  #last: Promise<unknown> = Promise.resolve()

  /** Chains with different names know nothing of each other. */
  constructor({ db, clock }: Parts, name: string) {
    this.#parts = { db, clock }
    this.#name = name
  }

  /** In the transaction of what it tells, or on its own: durable when the promise resolves. */
  async record(tx: Tx | undefined, entry: Entry): Promise<Recorded> {
    if (tx !== undefined) return this.#append(tx, entry)
    const mine = this.#last.then(() => this.#parts.db.transaction((own) => this.record(own, entry)))
    this.#last = mine.catch(() => undefined)
    return mine
  }

  async #append(tx: Tx, entry: Entry): Promise<Recorded> {
    const at = new Date(this.#parts.clock.now()).toISOString()
    const row = rowAfter(await findHead(tx, this.#name), this.#name, { at, ...entry })
    await appendRow(tx, row)
    return { seq: row.seq, at }
  }

  /** The newest first. */
  async list(page: { limit: number; offset: number }): Promise<(Entry & Recorded)[]> {
    const rows = await newestRows(this.#parts.db.queries, this.#name, page)
    return rows.map(({ seq, entry }) => ({ seq, ...JSON.parse(entry) }))
  }

  verify(also?: AlsoCheck): Promise<ChainReport> {
    return verifyChain(this.#parts.db.queries, this.#name, also)
  }
}
