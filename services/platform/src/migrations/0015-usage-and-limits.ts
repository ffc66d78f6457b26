// Usage by the minute, hour and day; bytes of vector stores over time; limits of projects.
import type { Migration } from '@atoll/kernel/db/migration'
import { PostgresAdapter, sql } from 'kysely'

type Db = Parameters<Migration['up']>[0]

const eventNumbers = ['images', 'characters', 'audio_ms', 'input_cost', 'cached_input_cost', 'output_cost']
const dimensions = ['organization_id', 'kind', 'project_id', 'user_id', 'api_key_id', 'model', 'size', 'source']
const sums = ['requests', 'input_tokens', 'cached_input_tokens', 'output_tokens', ...eventNumbers]

export const usageAndLimitsMigration: Migration = {
  name: 'platform/0015-usage-and-limits',
  async up(db) {
    await extendEvents(db)
    await createBuckets(db)
    for (const seconds of [60, 3_600, 86_400]) await sumEvents(db, seconds)
    await createStorage(db)
    await createRateLimits(db)
  },
}

async function extendEvents(db: Db): Promise<void> {
  const add = (name: string, type: 'bigint' | 'text', fallback: number | string) =>
    db.schema
      .alterTable('usage_events')
      .addColumn(name, type, (column) => column.notNull().defaultTo(fallback))
      .execute()
  for (const name of ['size', 'source']) await add(name, 'text', '')
  for (const name of eventNumbers) await add(name, 'bigint', 0)
}

/** A page is one range of the key: rows lie in the order they are read. */
async function createBuckets(db: Db): Promise<void> {
  const onPostgres = db.getExecutor().adapter instanceof PostgresAdapter
  let table = db.schema.createTable('usage_buckets')
  for (const name of dimensions) table = table.addColumn(name, 'text', (column) => column.notNull())
  for (const name of ['width', 'start', 'batch', ...sums]) {
    table = table.addColumn(name, 'bigint', (column) => column.notNull())
  }
  const key = ['organization_id', 'kind', 'width', 'start', ...dimensions.slice(2), 'batch']
  const keyed = table.addPrimaryKeyConstraint('usage_buckets_key', key as never[])
  await (onPostgres ? keyed : keyed.modifyEnd(sql`without rowid`)).execute()
}

/** Of before there were sums: calls of models, whose prices nobody wrote down. */
async function sumEvents(db: Db, seconds: number): Promise<void> {
  const width = sql.lit(seconds)
  const summed = ['requests', 'input_tokens', 'cached_input_tokens', 'output_tokens']
  const into = [...dimensions, 'width', 'start', 'batch', ...sums].map((name) => sql.ref(name))
  const kind = sql`case operation when 'chat' then 'completions' else operation end`
  const start = sql`created_at - created_at % ${width}`
  const user = sql`coalesce(user_id, '')`
  await sql`
    insert into usage_buckets (${sql.join(into)})
    select organization_id, ${kind}, project_id, ${user}, api_key_id, model, '', '', ${width}, ${start}, batch,
      ${sql.join(summed.map((name) => sql`sum(${sql.ref(name)})`))}, 0, 0, 0, 0, 0, 0
    from usage_events
    group by organization_id, ${kind}, project_id, ${user}, api_key_id, model, ${start}, batch`.execute(db)
}

async function createStorage(db: Db): Promise<void> {
  await db.schema
    .createTable('usage_storage')
    .addColumn('organization_id', 'text', (column) => column.notNull())
    .addColumn('project_id', 'text', (column) => column.notNull())
    .addColumn('since', 'bigint', (column) => column.notNull())
    .addColumn('bytes', 'bigint', (column) => column.notNull())
    .addColumn('gigabyte_day_cost', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('usage_storage_key', ['organization_id', 'project_id', 'since'])
    .execute()
}

async function createRateLimits(db: Db): Promise<void> {
  let table = db.schema
    .createTable('project_rate_limits')
    .addColumn('project_id', 'text', (column) => column.notNull())
    .addColumn('model', 'text', (column) => column.notNull())
  for (const name of ['requests_per_minute', 'tokens_per_minute', 'images_per_minute', 'requests_per_day']) {
    table = table.addColumn(name, 'bigint')
  }
  await table.addPrimaryKeyConstraint('project_rate_limits_key', ['project_id', 'model'] as never[]).execute()
}
