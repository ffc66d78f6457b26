// The places of a service, each with the tasks that have been there.
import type { KeptTask } from '../store/objects.ts'
import type { Key } from './plan.ts'
import { byAge } from './task-states.ts'

export interface Place {
  key: Key
  /** Oldest first. */
  tasks: KeptTask[]
}

const keyOf = ({ Slot, NodeID }: KeptTask): Key => Slot ?? NodeID ?? ''

export function placesOf(tasks: readonly KeptTask[]): Map<Key, Place> {
  const places = new Map<Key, Place>()
  for (const task of [...tasks].sort(byAge)) {
    const key = keyOf(task)
    const place = places.get(key) ?? { key, tasks: [] }
    places.set(key, place)
    place.tasks.push(task)
  }
  return places
}
