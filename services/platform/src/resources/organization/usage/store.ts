import type { Database, Queries } from '@atoll/kernel/db/database'
import { sql } from 'kysely'
import '../../../inference/usage/roll-up.ts'

export type GroupColumn = 'project_id' | 'user_id' | 'api_key_id' | 'model' | 'batch' | 'size' | 'source'
export type SumColumn =
  | 'requests'
  | 'input_tokens'
  | 'cached_input_tokens'
  | 'output_tokens'
  | 'images'
  | 'characters'
  | 'audio_ms'

interface SumsQuery {
  organizationId: string
  kind: string
  /** Seconds. */
  width: number
  /** Unix seconds; `to` is not included. */
  from: number
  to: number
  groups: readonly GroupColumn[]
  sums: readonly SumColumn[]
  filters: readonly { column: GroupColumn; values: readonly (string | number)[] }[]
}

/** Of a bucket: what it is grouped by, then the sums, in the order they were asked for. */
export type Entry = (string | number)[]

/** What each bucket holds, a few rows to an entry: whoever asks adds up those of the same group. */
export async function bucketEntries(
  { kind, queries }: Pick<Database, 'kind' | 'queries'>,
  query: SumsQuery,
): Promise<{ start: number; entries: Entry[] }[]> {
  // A bucket comes as one text, which costs a fraction of as many rows.
  const columns = sql.join([...query.groups, ...query.sums].map((name) => sql.ref(name)))
  const entries =
    kind === 'sqlite'
      ? sql<string>`json_group_array(json_array(${columns}))`
      : sql<string>`json_agg(json_build_array(${columns}))::text`
  const rows = await inSpan(queries, query)
    .select(['start', entries.as('entries')])
    .execute()
  return rows.map((row) => ({ start: row.start, entries: JSON.parse(row.entries) as Entry[] }))
}

/** One entry for each bucket in which something was used. */
export async function bucketSums(queries: Queries, query: SumsQuery): Promise<{ start: number; entries: Entry[] }[]> {
  const { sums } = query
  const rows = await inSpan(queries, query)
    .select('start')
    .select(({ fn }) => sums.map((name) => fn.sum<number>(name).as(name)))
    .execute()
  return rows.map((row) => ({ start: row.start, entries: [sums.map((name) => Number(row[name]))] }))
}

function inSpan(queries: Queries, { organizationId, kind, width, from, to, filters }: SumsQuery) {
  let rows = queries
    .selectFrom('usage_buckets')
    .where('organization_id', '=', organizationId)
    .where('kind', '=', kind)
    .where('width', '=', width)
    .where('start', '>=', from)
    .where('start', '<', to)
    .groupBy('start')
    .orderBy('start')
  for (const { column, values } of filters) rows = rows.where(column, 'in', values)
  return rows
}
