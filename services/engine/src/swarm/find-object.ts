// One object of a swarm by what a caller calls it: its id, its name, or the beginning of its id, in this order.
import { invalidParameter, notFound } from '../errors.ts'

export function findObject<T extends { ID: string }>(
  kind: string,
  all: readonly T[],
  asked: string,
  nameOf: (object: T) => string | undefined = () => undefined,
): T {
  const exact = all.find(({ ID }) => ID === asked)
  if (exact !== undefined) return exact
  const named = all.filter((object) => asked !== '' && nameOf(object) === asked)
  const matches = named.length > 0 ? named : all.filter(({ ID }) => asked !== '' && ID.startsWith(asked))
  const [match] = matches
  if (match === undefined) throw notFound(`${kind} ${asked} not found`)
  if (matches.length > 1) throw invalidParameter(`${kind} ${asked} is ambiguous (${matches.length} matches found)`)
  return match
}
