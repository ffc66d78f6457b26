// Who did what to the cluster. Each entry carries the hash of the one before it, so that no entry can be changed,
// added or taken out later without all that follow giving it away.
import { createHash } from 'node:crypto'
import type { Clock } from '@atoll/kernel/clock/clock'
import type { Database, Queries, Tx } from '@atoll/kernel/db/database'
import { canonicalJson } from './canonical-json.ts'
import { type AuditRow, appendRow, findHead, newestRows, rowsAfter } from './store.ts'

export interface AuditEntry {
  /** Email of the user. */
  user: string
  role?: string
  address?: string
  method: string
  path: string
  /** Of the answer; 0: it was let in and is about to be done. */
  status: number
  requestId?: string
  details?: unknown
}

export interface ChainReport {
  intact: boolean
  entries: number
  /** Number of the first entry that is not as it was written, or is missing. */
  brokenAt?: number
}

const beginning = '0'.repeat(64)
const pageSize = 1_000

export class Audit {
  readonly #parts: { db: Database; clock: Clock }
  /** One after the other: entries written at once would only wait for each other in the database. */
  #last: Promise<unknown> = Promise.resolve()

  constructor(parts: { db: Database; clock: Clock }) {
    this.#parts = parts
  }

  /** In the transaction of what it tells, or on its own: durable when the promise resolves. */
  async record(tx: Tx | undefined, entry: AuditEntry): Promise<void> {
    if (tx !== undefined) return this.#append(tx, entry)
    const mine = this.#last.then(() => this.#parts.db.transaction((own) => this.#append(own, entry)))
    this.#last = mine.catch(() => undefined)
    await mine
  }

  async list(page: { limit: number; offset: number }): Promise<(AuditEntry & { seq: number; at: string })[]> {
    const rows = await newestRows(this.#parts.db.queries, page)
    return rows.map(({ seq, entry }) => ({ seq, ...JSON.parse(entry) }))
  }

  /** Reads the whole chain. In one transaction: entries may be added meanwhile. */
  verify(): Promise<ChainReport> {
    return this.#parts.db.transaction(async (tx) => {
      let at = { seq: 0, hash: beginning }
      for (;;) {
        const rows = await rowsAfter(tx, at.seq, pageSize)
        for (const row of rows) {
          if (!follows(row, at)) return { intact: false, entries: at.seq, brokenAt: at.seq + 1 }
          at = row
        }
        if (rows.length < pageSize) return endOf(tx, at)
      }
    })
  }

  async #append(tx: Tx, entry: AuditEntry): Promise<void> {
    const head = await findHead(tx)
    const seq = (head?.seq ?? 0) + 1
    const previous = head?.hash ?? beginning
    const text = canonicalJson({ at: new Date(this.#parts.clock.now()).toISOString(), ...entry })
    await appendRow(tx, { seq, entry: text, previous, hash: hashOf(seq, previous, text) })
  }
}

const hashOf = (seq: number, previous: string, entry: string): string =>
  createHash('sha256').update(`${seq}\n${previous}\n${entry}`).digest('hex')

const follows = (row: AuditRow, before: { seq: number; hash: string }): boolean =>
  row.seq === before.seq + 1 && row.previous === before.hash && row.hash === hashOf(row.seq, row.previous, row.entry)

async function endOf(queries: Queries, last: { seq: number; hash: string }): Promise<ChainReport> {
  const head = await findHead(queries)
  const intact = last.seq === (head?.seq ?? 0) && last.hash === (head?.hash ?? beginning)
  return intact ? { intact, entries: last.seq } : { intact, entries: last.seq, brokenAt: last.seq + 1 }
}
