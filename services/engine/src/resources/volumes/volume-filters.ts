// Which volumes a list or a prune is about.
import { invalidParameter } from '../../errors.ts'
import type { Filters } from '../query/schema.ts'

interface Filtered {
  name: string
  driver: string
  labels: Readonly<Record<string, string>>
  isUsed: boolean
}

export const anonymousLabel = 'com.docker.volume.anonymous'

function refuseUnknown(filters: Filters, known: readonly string[]): void {
  const unknown = Object.keys(filters).find((name) => !known.includes(name))
  if (unknown !== undefined) throw invalidParameter(`invalid filter '${unknown}'`)
}

/** One yes-or-no value at most; undefined: not asked. */
function readFlag(filters: Filters, name: string): boolean | undefined {
  const values = new Set((filters[name] ?? []).map((text) => flagValues.get(text.toLowerCase())))
  if (values.size === 0) return undefined
  const [value] = values
  if (values.size > 1 || value === undefined) {
    throw invalidParameter(`invalid filter '${name}=${(filters[name] ?? []).join(',')}': expected true or false`)
  }
  return value
}

const flagValues = new Map([
  ['1', true],
  ['true', true],
  ['0', false],
  ['false', false],
])

/** `key`, `key=value`, or as the document writes it `key:value`. */
function hasLabel(labels: Filtered['labels'], asked: string): boolean {
  if (Object.hasOwn(labels, asked)) return true
  return ['=', ':'].some((mark) => {
    const at = asked.indexOf(mark)
    return at > 0 && Object.hasOwn(labels, asked.slice(0, at)) && labels[asked.slice(0, at)] === asked.slice(at + 1)
  })
}

export function listFilter(filters: Filters): (volume: Filtered) => boolean {
  refuseUnknown(filters, ['dangling', 'driver', 'label', 'name'])
  const isDangling = readFlag(filters, 'dangling')
  const { driver = [], label = [], name = [] } = filters
  return (volume) =>
    (isDangling === undefined || isDangling !== volume.isUsed) &&
    (driver.length === 0 || driver.includes(volume.driver)) &&
    (name.length === 0 || name.some((part) => volume.name.includes(part))) &&
    label.every((asked) => hasLabel(volume.labels, asked))
}

/** Without `all`, only volumes that nobody gave a name (ENG-694 to ENG-696). */
export function pruneFilter(filters: Filters): (volume: Filtered) => boolean {
  refuseUnknown(filters, ['all', 'label', 'label!'])
  const all = readFlag(filters, 'all') ?? false
  const { label = [], 'label!': without = [] } = filters
  return (volume) =>
    !volume.isUsed &&
    (all || Object.hasOwn(volume.labels, anonymousLabel)) &&
    label.every((asked) => hasLabel(volume.labels, asked)) &&
    !without.some((asked) => hasLabel(volume.labels, asked))
}
