// The columns every listed object starts with.
import { type Clock, unixSeconds } from '../clock/clock.ts'
import { type Ids, positionOf } from './ids.ts'

/** What it takes to make something new: an id and the time. */
export interface Making {
  ids: Ids
  clock: Clock
}

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
