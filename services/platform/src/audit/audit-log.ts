// The audit log of every organization that has activated it: one entry for each change, in the change's transaction.
import { rowAfter } from '@atoll/kernel/audit/link'
import { type Clock, unixSeconds } from '@atoll/kernel/clock/clock'
import type { Database, Tx } from '@atoll/kernel/db/database'
import type { Ids } from '@atoll/kernel/ids/ids'
import type { Actor } from '../identity/actor.ts'
import { chainOf } from './chain-name.ts'
import type { Change } from './change.ts'
import { entryOf } from './entry.ts'
import { insertEntry } from './insert-entry.ts'
import { logRowOf } from './log-row.ts'
import { findActivation, findSurroundings, indexLogs, insertActivation } from './store.ts'
import { KnownSurroundings, type Place, type Surroundings } from './surroundings.ts'

/** A few milliseconds' work; as many are looked through where the indexes do not know them yet. */
export const indexedAtOnce = 128

interface Parts {
  db: Database
  clock: Clock
  ids: Ids
}

/** A change to put on record, and the id of its entry. */
interface Made {
  by: Actor
  change: Change
  place: Place
  id: string
}

export class AuditLog {
  readonly #parts: Parts
  readonly #known = new KnownSurroundings()

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** Once and for all: nothing switches it off again. AST-264. Returns when that was, in Unix seconds. */
  activate(by: Actor, organizationId: string): Promise<number> {
    return this.#parts.db.transaction(async (tx) => {
      const before = await findActivation(tx, organizationId)
      if (before) return before.activated_at
      const activatedAt = unixSeconds(this.#parts.clock)
      await insertActivation(tx, organizationId, activatedAt)
      const settings = { audit_logging: 'activated' }
      const details = { id: organizationId, changes_requested: { settings } }
      await this.record(tx, by, organizationId, { type: 'organization.updated', details })
      return activatedAt
    })
  }

  /** In the transaction of the change. Writes nothing until the organization has activated its audit log. AST-263 */
  async record(tx: Tx, by: Actor, organizationId: string, change: Change): Promise<void> {
    const place = { organizationId, userId: userOf(by), projectId: change.projectId ?? null }
    const made = { by, change, place, id: this.#parts.ids.next('audit_log-') }
    const guess = this.#known.guess(place, change)
    if (guess !== undefined && (await this.#append(tx, made, guess))) return
    const found = await findSurroundings(tx, place)
    if (found === undefined) return
    if (!(await this.#append(tx, made, found))) throw new Error('the audit log changed within a transaction')
  }

  /** False when the surroundings are others: nothing is written then. */
  async #append(tx: Tx, { by, change, place, id }: Made, around: Surroundings): Promise<boolean> {
    const now = this.#parts.clock.now()
    const entry = entryOf(by, change, {
      id,
      effectiveAt: Math.floor(now / 1000),
      email: around.email ?? '',
      projectName: around.projectName ?? '',
    })
    const at = new Date(now).toISOString()
    const row = rowAfter(around.head, chainOf(place.organizationId), { at, ...entry })
    const listed = logRowOf(place.organizationId, row.seq, entry)
    const isWritten = await insertEntry({ kind: this.#parts.db.kind, tx }, { ...row, ...listed }, place, around)
    // Known at once, though it may be rolled back yet: the next change of the same commit hangs on it.
    if (isWritten) this.#known.remember(place, around, { seq: row.seq, hash: row.hash })
    if (isWritten && row.seq % indexedAtOnce === 0) this.#indexSoon(tx, place.organizationId, row.seq)
    return isWritten
  }

  /** Where that fails, the entries wait for the next time: they are found all the same. */
  #indexSoon(tx: Tx, organizationId: string, upTo: number): void {
    const { db } = this.#parts
    db.afterCommit(tx, () => {
      db.transaction((own) => indexLogs(own, organizationId, upTo)).catch(() => undefined)
    })
  }
}

function userOf(by: Actor): string | null {
  if (by.type === 'session') return by.userId
  return by.type === 'api_key' && by.owner.type === 'user' ? by.owner.userId : null
}
