// What happened on the way of a delivery, for whoever watches. Bounded: a run that talks without end fills no disk.
import type { Queries, Tx } from '@atoll/kernel/db/database'
import type { DeliveryEvent } from '../ports.ts'
import type { EventRow } from './row.ts'

const maxEvents = 1_000
const maxDetailLength = 16_000

export async function addEvent(tx: Tx, id: string, at: number, type: string, detail: object): Promise<void> {
  const { last } = await tx
    .selectFrom('hooks_delivery_events')
    .select((eb) => eb.fn.max('seq').as('last'))
    .where('delivery_id', '=', id)
    .executeTakeFirstOrThrow()
  const seq = Number(last ?? 0) + 1
  if (seq > maxEvents) return
  const isLast = seq === maxEvents
  const row: EventRow = {
    delivery_id: id,
    seq,
    type: isLast ? 'events.cut' : type.slice(0, 100),
    at,
    detail: isLast ? '{}' : detailText(detail),
  }
  await tx.insertInto('hooks_delivery_events').values(row).execute()
}

function detailText(detail: object): string {
  const text = JSON.stringify(detail)
  return text.length <= maxDetailLength ? text : JSON.stringify({ cut: text.slice(0, maxDetailLength / 2) })
}

export async function readEvents(queries: Queries, id: string, after = 0): Promise<DeliveryEvent[]> {
  const rows = await queries
    .selectFrom('hooks_delivery_events')
    .select(['seq', 'type', 'at', 'detail'])
    .where('delivery_id', '=', id)
    .where('seq', '>', after)
    .orderBy('seq')
    .execute()
  return rows.map(({ detail, ...event }) => ({ ...event, detail: JSON.parse(detail) }))
}
