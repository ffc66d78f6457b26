// Streams of JSON (stats, events, wait) have no one answer: their items go down to the caller's version one by one.
import type { Change, Json, RouteName } from './change.ts'
import { changes } from './changes.ts'

const itemChanges = changes.filter(
  (change): change is Change & Required<Pick<Change, 'item' | 'way' | 'routes'>> => change.item !== undefined,
)

/**
 * Puts items of a route's stream into the form a caller with these ways (`exchange.ways`) expects. An item that comes
 * out as undefined is not for this caller. Undefined instead of a function: items are sent as they are.
 */
export function streamItems(route: RouteName, ways: ReadonlySet<string>): ((item: Json) => Json) | undefined {
  const later = itemChanges.filter((change) => change.routes.includes(route) && ways.has(change.way)).reverse()
  if (later.length === 0) return undefined
  return (item) =>
    later.reduce((changed: Json, change) => (changed === undefined ? undefined : change.item(changed)), copyOf(item))
}

const copyOf = (item: Json): Json => structuredClone(item)
