// What readers of a response in the background have been told by earlier attempts.
import type { Queries } from '@atoll/kernel/db/database'
import type { Item } from '../../conversations/items/schema.ts'
import { eventsAfter } from '../stream/event-rows.ts'

export interface Told {
  /** Of the next event. */
  sequence: number
  /** How many items there were, those that came to nothing included. */
  items: number
  /** `output_index` of each, by its id. */
  places: ReadonlyMap<string, number>
  hasBegun: boolean
  /** Items that were begun and not ended. */
  open: { output_index: number; item: Item }[]
}

export async function toldSoFar(queries: Queries, responseId: string): Promise<Told> {
  const events = await eventsAfter(queries, responseId, -1)
  const open = new Map<number, Item>()
  const places = new Map<string, number>()
  for (const { type, output_index, item } of events) {
    if (type === 'response.output_item.added') {
      open.set(output_index as number, item as Item)
      places.set((item as Item).id, output_index as number)
    }
    if (type === 'response.output_item.done') open.delete(output_index as number)
  }
  return {
    sequence: (events.at(-1)?.sequence_number ?? -1) + 1,
    items: Math.max(-1, ...places.values()) + 1,
    places,
    hasBegun: events.some(({ type }) => type === 'response.in_progress'),
    open: [...open].map(([output_index, item]) => ({ output_index, item })),
  }
}
