// One change between two versions of the interface: what it is about, and how callers of older versions are served.
import type { QueryValue } from '@atoll/kernel/http/routing/query-string'

export type Query = Record<string, QueryValue>
/** JSON that came from outside or goes there. */
export type Json = unknown

/** `'POST /containers/create'`: method and path as in the route table. */
export type RouteName = `${'GET' | 'POST' | 'PUT' | 'DELETE'} /${string}`

export interface Change {
  /** The first version that has it: `'1.44'`. Unless told otherwise, what follows is done for callers before that. */
  since: string
  /** One sentence, for the table of changes. No two are alike. */
  summary: string
  /** Requirements it serves: `['ENG-120']`. */
  requirements: readonly string[]
  /** Absent: all routes. */
  routes?: readonly RouteName[]
  /** Older callers' query or body in the form of `since`. They may change what they get, and return it. */
  query?(query: Query): Query
  body?(body: Json): Json
  /** What callers of `since` and later send, less what they can no longer ask for. */
  laterQuery?(query: Query): Query
  laterBody?(body: Json): Json
  /** The answer of `since` in the form before it. `value` is a copy of its own: it may be changed. */
  answer?(value: Json): Json
  /** As `answer`, for one item of a stream of JSON (`streamItems`); undefined: nothing is sent. Needs a `way`. */
  item?(value: Json): Json
  /** Routes that were not there before: older callers get 404. */
  isNew?: boolean
  /** Routes that are there only before `since`. */
  isGone?: boolean
  /** The name of a way that handlers keep to for older callers: `'text-frames'`. */
  way?: string
}
