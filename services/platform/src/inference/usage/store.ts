// The table of usage events.
import type { Database, Queries } from '@atoll/kernel/db/database'
import { sql } from 'kysely'
import type { UsageEvent } from './event.ts'

declare module '@atoll/kernel/db/database' {
  interface Tables {
    usage_events: UsageEvent
  }
}

const texts = [
  'id',
  'organization_id',
  'project_id',
  'user_id',
  'service_account_id',
  'api_key_id',
  'operation',
  'model',
  'answered_by',
] as const
const numbers = ['created_at', 'requests', 'input_tokens', 'cached_input_tokens', 'output_tokens', 'batch'] as const
const columns = [...texts, ...numbers]

/**
 * Adds events, each as JSON text; those that are there already stay as they are. All travel as one parameter that the
 * database takes apart: thousands a second then cost this thread next to nothing.
 */
export async function insertEvents(db: Database, events: readonly string[]): Promise<void> {
  const all = `[${events.join(',')}]`
  const into = sql`insert into usage_events (${sql.join(columns.map((name) => sql.ref(name)))})`
  const ignoring = sql`on conflict (id) do nothing`
  if (db.kind === 'sqlite') {
    const values = columns.map((name) => sql`value ->> ${sql.lit(`$.${name}`)}`)
    await sql`${into} select ${sql.join(values)} from json_each(${all}) where true ${ignoring}`.execute(db.queries)
    return
  }
  const types = [
    ...texts.map((name) => sql`${sql.ref(name)} text`),
    ...numbers.map((name) => sql`${sql.ref(name)} bigint`),
  ]
  const rows = sql`select * from json_to_recordset(${all}::json) as event(${sql.join(types)})`
  await sql`${into} ${rows} ${ignoring}`.execute(db.queries)
}

export type UsageGroup = 'project_id' | 'user_id' | 'api_key_id' | 'model' | 'batch'

export interface UsageQuery {
  organizationId: string
  projectId?: string
  operations: readonly string[]
  /** Unix seconds; `to` is not included. */
  from: number
  to: number
  groupBy: readonly UsageGroup[]
}

export type UsageSum = Partial<Pick<UsageEvent, UsageGroup>> &
  Pick<UsageEvent, 'requests' | 'input_tokens' | 'cached_input_tokens' | 'output_tokens'>

const summed = ['requests', 'input_tokens', 'cached_input_tokens', 'output_tokens'] as const

/** What was used in a span of time; without groups one row, and none when nothing was used. */
export async function sumUsage(queries: Queries, query: UsageQuery): Promise<UsageSum[]> {
  const groups = [...query.groupBy]
  const sums = queries
    .selectFrom('usage_events')
    .select(groups)
    .select((eb) => summed.map((name) => eb.fn.sum<number>(name).as(name)))
    .where('organization_id', '=', query.organizationId)
    .where('created_at', '>=', query.from)
    .where('created_at', '<', query.to)
    .where('operation', 'in', query.operations)
    .$if(query.projectId !== undefined, (eb) => eb.where('project_id', '=', query.projectId ?? ''))
    .$if(groups.length > 0, (eb) => eb.groupBy(groups))
    .having((eb) => eb(eb.fn.countAll(), '>', 0))
  const rows = await groups.reduce((ordered, group) => ordered.orderBy(group), sums).execute()
  return rows.map((row) => ({ ...row, ...numbersOf(row) })) as UsageSum[]
}

/** PostgreSQL gives sums as text. */
const numbersOf = (row: Record<(typeof summed)[number], number | string>) =>
  Object.fromEntries(summed.map((name) => [name, Number(row[name])]))
