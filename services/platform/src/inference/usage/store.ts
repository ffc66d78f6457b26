// The table of usage events.
import type { Database, Queries } from '@atoll/kernel/db/database'
import { sql } from 'kysely'
import type { UsageEvent } from './event.ts'
import { rollUp } from './roll-up.ts'

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
/** Lines of an earlier version have none of these. */
const newerTexts = ['size', 'source'] as const
const newerNumbers = ['images', 'characters', 'audio_ms', 'input_cost', 'cached_input_cost', 'output_cost'] as const
const newer: readonly string[] = [...newerTexts, ...newerNumbers]
const columns = [...texts, ...numbers, ...newerTexts, ...newerNumbers]

/**
 * Adds events, each as JSON text, and their sums; those that are there already stay as they are and count no more. All
 * travel as one parameter that the database takes apart: thousands a second then cost this thread next to nothing.
 */
export async function insertEvents(db: Database, events: readonly string[]): Promise<void> {
  const all = `[${events.join(',')}]`
  await (db.kind === 'sqlite' ? insertInSqlite(db, all) : insertInPostgres(db, all))
}

const into = sql`insert into usage_events (${sql.join(columns.map((name) => sql.ref(name)))})`
const ignoring = sql`on conflict (id) do nothing`

/** What a line without the value has. */
const fallback = (name: string) => sql.lit(newerTexts.some((text) => text === name) ? '' : 0)

/** Rows are numbered in the order they come, and a transaction is alone: the new ones are those after the last. */
async function insertInSqlite(db: Database, all: string): Promise<void> {
  const values = columns.map((name) => {
    const value = sql`value ->> ${sql.lit(`$.${name}`)}`
    return newer.includes(name) ? sql`coalesce(${value}, ${fallback(name)})` : value
  })
  await db.transaction(async (tx) => {
    const { rows } = await sql<{ last: number | null }>`select max(rowid) as last from usage_events`.execute(tx)
    await sql`${into} select ${sql.join(values)} from jsonb_each(${all}) where true ${ignoring}`.execute(tx)
    await rollUp(sql`usage_events where rowid > ${rows[0]?.last ?? 0}`).execute(tx)
  })
}

/** One statement, so that nodes wait for each other's rows and none has to begin again. */
async function insertInPostgres(db: Database, all: string): Promise<void> {
  const type = (name: string) => ([...texts, ...newerTexts].some((text) => text === name) ? sql`text` : sql`bigint`)
  const types = columns.map((name) => sql`${sql.ref(name)} ${type(name)}`)
  const values = columns.map((name) =>
    newer.includes(name) ? sql`coalesce(${sql.ref(name)}, ${fallback(name)})` : sql.ref(name),
  )
  const rows = sql`select ${sql.join(values)} from json_to_recordset(${all}::json) as event(${sql.join(types)})`
  await sql`with fresh as (${into} ${rows} ${ignoring} returning *) ${rollUp(sql`fresh`)}`.execute(db.queries)
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
