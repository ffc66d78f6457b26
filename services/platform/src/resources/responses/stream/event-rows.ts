// Events of responses in the background, some to a row, in the order of their numbers.
import type { Queries, Tx } from '@atoll/kernel/db/database'
import type { ResponseEvent } from './event.ts'

interface ResponseEventsRow {
  response_id: string
  last_sequence: number
  /** JSON. */
  events: string
}

declare module '@atoll/kernel/db/database' {
  interface Tables {
    response_events: ResponseEventsRow
  }
}

export async function insertEvents(tx: Tx, response_id: string, events: readonly ResponseEvent[]): Promise<void> {
  const last = events.at(-1)
  if (last === undefined) return
  const row = { response_id, last_sequence: last.sequence_number, events: JSON.stringify(events) }
  await tx.insertInto('response_events').values(row).execute()
}

/** Those with a higher number, in their order. */
export async function eventsAfter(queries: Queries, responseId: string, after: number): Promise<ResponseEvent[]> {
  const rows = await queries
    .selectFrom('response_events')
    .select('events')
    .where('response_id', '=', responseId)
    .where('last_sequence', '>', after)
    .orderBy('last_sequence')
    .execute()
  const events = rows.flatMap((row) => JSON.parse(row.events) as ResponseEvent[])
  return events.filter(({ sequence_number }) => sequence_number > after)
}

/** -1 when there is none. */
export async function lastSequence(queries: Queries, responseId: string): Promise<number> {
  const row = await queries
    .selectFrom('response_events')
    .select('last_sequence')
    .where('response_id', '=', responseId)
    .orderBy('last_sequence', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row?.last_sequence ?? -1
}

export const deleteEvents = (tx: Tx, responseId: string) =>
  tx.deleteFrom('response_events').where('response_id', '=', responseId).execute()
