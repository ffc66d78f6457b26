// Adds up the entries of a bucket that belong to the same group.
import type { Entry } from './store.ts'

/** `groups` values of each entry say what it belongs to; the rest are added. In the order of the groups. */
export function summed(entries: readonly Entry[], groups: number): Entry[] {
  const found = new Map<string, Entry>()
  for (const entry of entries) {
    const key = keyOf(entry, groups)
    const known = found.get(key)
    if (known === undefined) found.set(key, entry)
    else addTo(known, entry, groups)
  }
  return found.size === 1 ? [...found.values()] : [...found].sort(byKey).map(([, entry]) => entry)
}

function keyOf(entry: Entry, groups: number): string {
  let key = ''
  for (let at = 0; at < groups; at++) key += `${entry[at]}\0`
  return key
}

function addTo(known: Entry, entry: Entry, groups: number): void {
  for (let at = groups; at < entry.length; at++) known[at] = Number(known[at]) + Number(entry[at])
}

const byKey = ([one]: [string, Entry], [other]: [string, Entry]): number => (one < other ? -1 : 1)
