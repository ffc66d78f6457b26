// Services whose callers speak one of several versions of the interface. The version stands in the path; handlers
// know only today's, and what older callers send and get is changed on the way.
import type { HttpError } from '../error.ts'
import type { AnyCallers, Route } from '../route.ts'
import type { QueryValue } from './query-string.ts'

export interface Versions {
  /** Takes the version out of an address. Throws an error of the catalogue for a version that is not served. */
  read(url: string): { url: string; version: string }
  /** Throws an error of the catalogue for a route that a version does not have. */
  admit(route: Route<AnyCallers>, version: string): void
  /** What an older caller asks, in today's form. Unchecked yet: anything may stand in it. */
  query(route: Route<AnyCallers>, version: string, query: Record<string, QueryValue>): Record<string, QueryValue>
  body(route: Route<AnyCallers>, version: string, body: unknown): unknown
  /** Today's answer in the form of an older version. */
  answer(route: Route<AnyCallers>, version: string, answer: VersionedAnswer): VersionedAnswer
  error(version: string, error: HttpError): HttpError
  /** Names of the ways of older versions that handlers themselves have to keep to. */
  ways(version: string): ReadonlySet<string>
}

export interface VersionedAnswer {
  status: number
  value: unknown
}
