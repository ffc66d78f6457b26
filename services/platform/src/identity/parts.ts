// What identity is built from.
import { unixSeconds } from '@atoll/kernel/clock/clock'
import { positionOf } from '@atoll/kernel/ids/ids'
import type { Kernel } from '@atoll/kernel/kernel'

export type IdentityParts = Pick<Kernel, 'db' | 'events' | 'ids' | 'clock' | 'log'>

/** What a rule needs to make something new: an id and the time. */
export type Making = Pick<Kernel, 'ids' | 'clock'>

/** The columns every new object starts with. */
export function newObject(making: Making, prefix: string): { id: string; position: number; created_at: number } {
  const id = making.ids.next(prefix)
  return { id, position: listPosition(id), created_at: unixSeconds(making.clock) }
}

/** Where an id of ours stands in lists. */
export function listPosition(id: string): number {
  const position = positionOf(id)
  if (position === undefined) throw new Error(`The id '${id}' carries no list position.`)
  return position
}
