// Lists, a page at a time, in the order of (position, id). Tables need an index on (scope, position, id),
// where scope is what the query filters by (a project, a parent).
import { type SelectQueryBuilder, sql } from 'kysely'
import { positionOf } from '../ids/ids.ts'

export interface PageQuery {
  /** The page starts right after this object, in list order. */
  after?: string
  /** The page ends right before this object, in list order. With `after`: what lies between the two. */
  before?: string
  limit: number
  order: 'asc' | 'desc'
}

export interface Page<Row> {
  rows: Row[]
  /** Whether more follow; on a page asked for by `before` alone: whether more precede. */
  hasMore: boolean
}

export class InvalidCursor extends Error {
  override readonly name = 'InvalidCursor'
  readonly parameter: 'after' | 'before'

  constructor(parameter: 'after' | 'before') {
    super(`${parameter} is no identifier of an object`)
    this.parameter = parameter
  }
}

/** Adds range, order and limit to `query`, whose table has the columns `id` and `position`, and runs it. */
export async function selectPage<Tables, Table extends keyof Tables, Row>(
  query: SelectQueryBuilder<Tables, Table, Row>,
  { after, before, limit, order }: PageQuery,
): Promise<Page<Row>> {
  const backwards = before !== undefined && after === undefined
  const direction = backwards ? opposite(order) : order
  let range = query
  if (after !== undefined) range = range.where(beyond('after', after, order))
  if (before !== undefined) range = range.where(beyond('before', before, opposite(order)))
  const found = await range
    .orderBy(sql.ref('position'), direction)
    .orderBy(sql.ref('id'), direction)
    .limit(limit + 1)
    .execute()
  const rows = found.slice(0, limit)
  if (backwards) rows.reverse()
  return { rows, hasMore: found.length > limit }
}

/** Nothing but printable ASCII: PostgreSQL cannot even compare with some other characters. */
const idText = /^[\x21-\x7e]{1,128}$/

/** What lies strictly beyond the cursor. The outer comparison is the range an index can answer. */
function beyond(parameter: 'after' | 'before', cursor: string, order: 'asc' | 'desc') {
  const position = idText.test(cursor) ? positionOf(cursor) : undefined
  if (position === undefined) throw new InvalidCursor(parameter)
  return order === 'asc'
    ? sql<boolean>`(position >= ${position} and (position > ${position} or id > ${cursor}))`
    : sql<boolean>`(position <= ${position} and (position < ${position} or id < ${cursor}))`
}

const opposite = (order: 'asc' | 'desc') => (order === 'asc' ? 'desc' : 'asc')
