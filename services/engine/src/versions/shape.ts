// The pieces that changes are made of. Places in JSON are written `HostConfig.Mounts.[].Consistency`: `[]` stands for
// every item of a list, `*` for every value of an object. What is not there is passed over: handlers judge it.
import type { Json, Query } from './change.ts'

export type Entry = Record<string, Json>

export const isEntry = (value: Json): value is Entry =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Calls `visit` with every object at a place; the empty place is the value itself. */
export function visitAt(value: Json, place: string, visit: (entry: Entry) => void): void {
  walk(value, place === '' ? [] : place.split('.'), visit)
}

function walk(value: Json, [step, ...rest]: string[], visit: (entry: Entry) => void): void {
  if (step === undefined) {
    if (isEntry(value)) visit(value)
  } else if (step === '[]') {
    if (Array.isArray(value)) for (const item of value) walk(item, rest, visit)
  } else if (step === '*') {
    if (isEntry(value)) for (const item of Object.values(value)) walk(item, rest, visit)
  } else if (isEntry(value)) walk(value[step], rest, visit)
}

/** Changes every object at a place. */
export const at =
  (place: string, change: (entry: Entry) => void) =>
  (value: Json): Json => {
    visitAt(value, place, change)
    return value
  }

/** Takes what stands at these places away. */
export const without = (...places: string[]): ((value: Json) => Json) => {
  const steps = places.map((place) => {
    const dot = place.lastIndexOf('.')
    return { parent: place.slice(0, Math.max(dot, 0)), name: place.slice(dot + 1) }
  })
  return (value) => {
    for (const { parent, name } of steps) visitAt(value, parent, (entry) => delete entry[name])
    return value
  }
}

/** Puts values at a place where nothing stands. */
export const withDefaults = (place: string, defaults: Entry): ((value: Json) => Json) =>
  at(place, (entry) => {
    for (const [name, value] of Object.entries(defaults)) entry[name] ??= value
  })

/** One change after the other. */
export const inTurn =
  (...steps: ((value: Json) => Json)[]) =>
  (value: Json): Json =>
    steps.reduce((changed, step) => step(changed), value)

export const withoutQuery =
  (...names: string[]) =>
  (query: Query): Query => {
    for (const name of names) delete query[name]
    return query
  }

/** Names under `filters`, each with its values. */
export type GivenFilters = Record<string, string[]>

/** Changes `filters`. What cannot be read is left for the handler to refuse. */
export const withFilters =
  (change: (filters: GivenFilters) => void) =>
  (query: Query): Query => {
    const filters = readFilters(query.filters)
    if (filters === undefined) return query
    change(filters)
    query.filters = JSON.stringify(filters)
    return query
  }

export const withoutFilters = (...names: string[]): ((query: Query) => Query) =>
  withFilters((filters) => {
    for (const name of names) delete filters[name]
  })

function readFilters(text: Query[string] | undefined): GivenFilters | undefined {
  if (text === undefined || text === '') return Object.create(null)
  if (typeof text !== 'string') return undefined
  try {
    const written: Json = JSON.parse(text)
    if (!isEntry(written)) return undefined
    const filters: GivenFilters = Object.create(null)
    for (const [name, given] of Object.entries(written)) {
      if (Array.isArray(given)) filters[name] = given
      else if (isEntry(given)) filters[name] = Object.keys(given).filter((value) => given[value] === true)
      else return undefined
    }
    return filters
  } catch {
    return undefined
  }
}
