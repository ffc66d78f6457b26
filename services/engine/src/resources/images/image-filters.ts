// Which images a list or a prune is about.
import { invalidParameter, noSuchImage } from '../../errors.ts'
import { familiarName, familiarRepository, splitCanonical } from '../../images/reference.ts'
import { parseMoment } from '../../images/until.ts'
import type { CatalogImage, ImageCatalog } from './catalog.ts'

type Filters = Record<string, string[]>
type Condition = (image: CatalogImage, names: readonly string[]) => boolean

export const createdMs = ({ config }: CatalogImage): number => {
  const time = Date.parse(config.created ?? '')
  return Number.isNaN(time) ? 0 : time
}

export function refuseUnknown(filters: Filters, known: readonly string[]): void {
  const unknown = Object.keys(filters).find((name) => !known.includes(name))
  if (unknown !== undefined) throw invalidParameter(`invalid filter '${unknown}'`)
}

export function readFlag(filters: Filters, name: string): boolean | undefined {
  const values = filters[name]
  if (values === undefined || values.length === 0) return undefined
  const words = new Map([
    ['1', true],
    ['true', true],
    ['True', true],
    ['t', true],
    ['0', false],
    ['false', false],
    ['False', false],
    ['f', false],
  ])
  const read = values.map((value) => words.get(value))
  const [first] = read
  if (first === undefined || read.some((value) => value !== first)) {
    throw invalidParameter(`invalid filter '${name}=[${values.join(' ')}]'`)
  }
  return first
}

/** `key`, or `key=value`: all of them hold. */
export function hasLabels(labels: Record<string, string> | null | undefined, asked: readonly string[]): boolean {
  return asked.every((label) => isLabelled(labels ?? {}, label))
}

/** None of them holds. */
export const lacksLabels = (labels: Record<string, string> | null | undefined, asked: readonly string[]): boolean =>
  !asked.some((label) => isLabelled(labels ?? {}, label))

function isLabelled(labels: Record<string, string>, label: string): boolean {
  const at = label.indexOf('=')
  return at < 0 ? Object.hasOwn(labels, label) : labels[label.slice(0, at)] === label.slice(at + 1)
}

/** Of names, those that match a pattern as `docker images PATTERN` takes it. */
export function matchingNames(names: readonly string[], patterns: readonly string[]): string[] {
  const tests = patterns.map(globPattern)
  return names.filter((name) => {
    const familiar = familiarName(name)
    const repository = familiarRepository(splitCanonical(name).repository)
    return tests.some((test) => test.test(familiar) || test.test(repository) || test.test(name))
  })
}

/** `*` and `?` do not match a slash. */
function globPattern(pattern: string): RegExp {
  const source = pattern.replace(/\[[^\]]*\]|[*?]|[^*?[]|\[/g, (piece) => {
    if (piece === '*') return '[^/]*'
    if (piece === '?') return '[^/]'
    return piece.length > 1 ? piece : piece.replace(/[\\^$.|+(){}[\]/]/g, '\\$&')
  })
  try {
    return new RegExp(`^${source}$`)
  } catch {
    throw invalidParameter(`invalid filter 'reference=${pattern.slice(0, 100)}'`)
  }
}

export function listConditions(catalog: ImageCatalog, filters: Filters, nowMs: number): Condition[] {
  refuseUnknown(filters, ['dangling', 'label', 'before', 'since', 'reference', 'until'])
  const conditions: Condition[] = []
  const dangling = readFlag(filters, 'dangling')
  if (dangling !== undefined) conditions.push((_, names) => (names.length === 0) === dangling)
  const { label, before, since, until } = filters
  if (label !== undefined) conditions.push(({ config }) => hasLabels(config.config?.Labels, label))
  const find = (reference: string): number => {
    const image = catalog.find(reference)
    if (image === undefined) throw noSuchImage(reference)
    return createdMs(image)
  }
  const earliest = before === undefined ? Infinity : Math.min(...before.map(find))
  const latest = since === undefined ? -Infinity : Math.max(...since.map(find))
  if (before !== undefined) conditions.push((image) => createdMs(image) < earliest)
  if (since !== undefined) conditions.push((image) => createdMs(image) > latest)
  // Those that are older than each of them.
  for (const moment of until ?? []) conditions.push(untilCondition([moment], nowMs))
  return conditions
}

export function pruneConditions(filters: Filters, nowMs: number): Condition[] {
  refuseUnknown(filters, ['dangling', 'label', 'label!', 'until'])
  const { label = [], 'label!': unlabelled = [], until } = filters
  return [
    ({ config }) => hasLabels(config.config?.Labels, label) && lacksLabels(config.config?.Labels, unlabelled),
    ...(until === undefined ? [] : [untilCondition(until, nowMs)]),
  ]
}

function untilCondition(until: readonly string[], nowMs: number): Condition {
  if (until.length > 1) throw invalidParameter('more than one until filter specified')
  const limit = parseMoment(until[0] ?? '', nowMs)
  return (image) => createdMs(image) < limit
}
