// How much is written to the store at once: etcd takes so many steps and bytes in one transaction.
import type { Removal, Write } from './swarm-store.ts'

export const maxObjectsAtOnce = 250
const maxBytesAtOnce = 1024 * 1024

interface WritePart {
  writes: Write[]
  removals: Removal[]
}

const bytesOf = ({ object }: Write): number => JSON.stringify(object).length

export const fitsAtOnce = (writes: readonly Write[]): boolean =>
  writes.length <= maxObjectsAtOnce && writes.reduce((bytes, write) => bytes + bytesOf(write), 0) <= maxBytesAtOnce

/** One after the other they are all of it. One that is too large for others goes alone. */
export function partsOf(writes: readonly Write[], removals: readonly Removal[]): WritePart[] {
  const parts: WritePart[] = []
  let bytes = 0
  for (const write of writes) {
    const more = bytesOf(write)
    const last = parts.at(-1)
    if (last === undefined || last.writes.length >= maxObjectsAtOnce || bytes + more > maxBytesAtOnce) {
      parts.push({ writes: [write], removals: [] })
      bytes = more
    } else {
      last.writes.push(write)
      bytes += more
    }
  }
  for (let at = 0, part = 0; at < removals.length; part++) {
    const found = parts[part] ?? { writes: [], removals: [] }
    const room = maxObjectsAtOnce - found.writes.length
    parts[part] = { ...found, removals: removals.slice(at, at + room) }
    at += room
  }
  return parts
}
