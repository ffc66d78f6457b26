// System events of the main session: kept until a turn that has shown them is committed.
import type { Database, Queries, Tx } from '@atoll/kernel/db/database'
import { listPosition, type Making } from '@atoll/kernel/ids/new-object'
import type { SystemEvent } from '../../ports.ts'
import type { EventRow } from './store.ts'
import * as store from './store.ts'

/** Of one prompt; the rest comes in the next. */
const maxEventsShown = 50
const maxLettersShown = 60_000

interface Parts extends Making {
  db: Database
  /** Somebody wants a heartbeat at once, when `tx` is committed. */
  onUrgent(tx: Tx): Promise<void>
}

export interface Portion {
  events: EventRow[]
  /** There are more than fit in one prompt. */
  hasMore: boolean
}

export class SystemEvents {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  async add(tx: Tx, ...events: readonly SystemEvent[]): Promise<void> {
    const { db, onUrgent } = this.#parts
    const rows = events.map((event) => this.#rowOf(event))
    await store.insertEvents(tx, db.kind, rows)
    if (events.some(({ mode }) => mode === 'now')) await onUrgent(tx)
  }

  #rowOf(event: SystemEvent): EventRow {
    const { ids, clock } = this.#parts
    const id = ids.next('evt_')
    return {
      id,
      position: listPosition(id),
      text: event.text,
      source: event.source,
      trust: event.trust,
      mode: event.mode,
      is_unsafe: event.allowUnsafeExternalContent === true ? 1 : 0,
      delivery_id: event.deliveryId ?? null,
      created_at: clock.now(),
      state: 'open',
      consumed_by: null,
    }
  }

  /** The oldest that fit into a prompt, at least one. */
  async nextPortion(): Promise<Portion> {
    const found = await store.openEvents(this.#parts.db.queries, maxEventsShown + 1)
    const events: EventRow[] = []
    let letters = 0
    for (const event of found.slice(0, maxEventsShown)) {
      letters += event.text.length
      if (letters > maxLettersShown && events.length > 0) break
      events.push(event)
    }
    return { events, hasMore: found.length > events.length }
  }

  hasUrgent(): Promise<boolean> {
    return store.hasUrgentEvent(this.#parts.db.queries)
  }

  countOpen(): Promise<number> {
    return store.countOpenEvents(this.#parts.db.queries)
  }

  list(limit: number): Promise<EventRow[]> {
    return store.newestEvents(this.#parts.db.queries, limit)
  }

  async show(tx: Tx, events: readonly EventRow[], turnId: string): Promise<void> {
    const ids = events.map(({ id }) => id)
    if (ids.length > 0) await store.showEvents(tx, ids, turnId)
  }

  async consume(queries: Queries, turnId: string): Promise<void> {
    await store.consumeEvents(queries, turnId)
  }

  async reopen(queries: Queries, turnId: string): Promise<void> {
    await store.reopenEvents(queries, turnId)
  }

  async prune(before: number): Promise<void> {
    await store.deleteConsumedEvents(this.#parts.db.queries, before)
  }
}
