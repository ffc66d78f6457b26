// The same question to an engine in all versions of its interface, and in which of them something holds.
import type { Answer } from './ask-json.ts'

export const versions = Array.from({ length: 30 }, (_, index) => `1.${index + 18}`)
const first = 18
const last = 47
const minor = (version: string): number => Number(version.slice(2))

/** Versions from one on. */
export const since = (version: string): string[] => versions.filter((each) => minor(each) >= minor(version))

/** What was answered, by version. */
export type Told = Map<string, Answer['body']>

interface Asked {
  call(method: string, path: string): Promise<Answer>
}

export async function inAllVersions(engine: Asked, path: string, among: readonly string[] = versions): Promise<Told> {
  const told: Told = new Map()
  for (const version of among) told.set(version, (await engine.call('GET', `/v${version}${path}`)).body)
  return told
}

/** The versions in which something may change: the first, the last, and those about each boundary. */
export function around(...boundaries: string[]): string[] {
  const chosen = boundaries.flatMap((each) => [minor(each) - 1, minor(each)])
  return versions.filter((version) => [first, last, ...chosen].includes(minor(version)))
}

/** `1.24+`, `to 1.23`, `1.21-1.41`, `all`, `none`, or every single one where they are no row. */
export function spanOf(holds: (version: string) => boolean, among: readonly string[] = versions): string {
  const held = among.filter(holds)
  const [from, to] = [held[0], held.at(-1)]
  if (from === undefined || to === undefined) return 'none'
  if (among.indexOf(to) - among.indexOf(from) + 1 !== held.length) return held.join(' ')
  if (to === among.at(-1)) return from === among[0] ? 'all' : `${from}+`
  return from === among[0] ? `to ${to}` : `${from}-${to}`
}

export function at(value: Answer['body'], place: string): Answer['body'] {
  let found = value
  for (const step of place.split('.')) found = found?.[step]
  return found
}

/** In which versions an answer has something at each place: `HostConfig.Mounts.0.Type`. */
export const spans = (told: Told, places: Iterable<string>): Record<string, string> =>
  Object.fromEntries(
    [...places].map((place) => [place, spanOf((each) => at(told.get(each), place) !== undefined, [...told.keys()])]),
  )
