import type { Migration } from '@atoll/kernel/db/migration'
import { type Kysely, PostgresAdapter, sql } from 'kysely'

export const deliveriesMigration: Migration = {
  name: 'hooks/0001-deliveries',
  async up(db) {
    await createDeliveries(db)
    await createLanes(db)
    await db.schema
      .createTable('hooks_delivery_events')
      .addColumn('delivery_id', 'text', (column) => column.notNull())
      .addColumn('seq', 'bigint', (column) => column.notNull())
      .addColumn('type', 'text', (column) => column.notNull())
      .addColumn('at', 'bigint', (column) => column.notNull())
      .addColumn('detail', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint('hooks_delivery_events_key', ['delivery_id', 'seq'])
      .execute()
    await db.schema
      .createTable('hooks_pauses')
      .addColumn('mapping', 'text', (column) => column.primaryKey())
      .addColumn('since', 'bigint', (column) => column.notNull())
      .execute()
    await db.schema
      .createTable('hooks_tokens')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('digest', 'text', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .execute()
  },
}

async function createDeliveries(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('hooks_deliveries')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('path', 'text', (column) => column.notNull())
    .addColumn('mapping', 'text')
    .addColumn('sender', 'text', (column) => column.notNull())
    .addColumn('trust', 'text', (column) => column.notNull())
    .addColumn('action', 'text')
    .addColumn('session_key', 'text')
    .addColumn('lane', 'text')
    .addColumn('headers', 'text', (column) => column.notNull())
    .addColumn('body', 'text')
    .addColumn('fingerprint', 'text', (column) => column.notNull())
    .addColumn('dedupe_key', 'text', (column) => column.unique())
    .addColumn('nonce', 'text', (column) => column.unique())
    .addColumn('attempts', 'bigint', (column) => column.notNull())
    .addColumn('duplicates', 'bigint', (column) => column.notNull())
    .addColumn('run_token', 'text')
    .addColumn('error', 'text')
    .addColumn('outcome', 'text')
    .addColumn('received_at', 'bigint', (column) => column.notNull())
    .addColumn('started_at', 'bigint')
    .addColumn('ended_at', 'bigint')
    .addColumn('replay_of', 'text')
    .execute()
  // Only what waits or runs is in a lane, so this stays small.
  await db.schema.createIndex('hooks_deliveries_lane').on('hooks_deliveries').columns(['lane', 'id']).execute()
  for (const column of ['state', 'mapping', 'session_key']) {
    await db.schema.createIndex(`hooks_deliveries_${column}`).on('hooks_deliveries').columns([column, 'id']).execute()
  }
}

/** A row for each session that has something to do; its first delivery runs while the row is leased. */
async function createLanes(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('hooks_lanes')
    .addColumn('lane', 'text', (column) => column.primaryKey())
    .addColumn('due_at', 'bigint')
    .addColumn('lease_token', 'text')
    .addColumn('parked_by', 'text')
    .addColumn('arrivals', 'bigint', (column) => column.notNull())
    .execute()
  await db.schema.createIndex('hooks_lanes_due').on('hooks_lanes').columns(['due_at', 'lane']).execute()
  await db.schema.createIndex('hooks_lanes_parked').on('hooks_lanes').columns(['parked_by']).execute()
}

/** Deliveries are jobs from here on; those that wait or run become some. */
export const deliveryJobsMigration: Migration = {
  name: 'hooks/0005-delivery-jobs',
  async up(db) {
    await enqueueWaiting(db)
    await db.schema.dropTable('hooks_lanes').execute()
    await db.schema.dropIndex('hooks_deliveries_lane').execute()
    for (const name of ['lane', 'run_token']) await db.schema.alterTable('hooks_deliveries').dropColumn(name).execute()
  },
}

/** The first of each lane is due when its lane was; one that ran, and one that was paused, at once. */
async function enqueueWaiting(db: Kysely<unknown>): Promise<void> {
  await sql`
    insert into jobs (id, kind, payload, tenant, lane, state, run_at, due_at, attempts, last_error, created_at)
    select 'job_' || substr(delivery.id, 5), 'hook-delivery', '{"deliveryId":"' || delivery.id || '"}',
      case when mapping is null then 'sender:' || sender else 'mapping:' || mapping end, delivery.lane,
      'waiting', received_at,
      case when row_number() over (partition by delivery.lane order by delivery.id) > 1 then null
        when hooks_lanes.lease_token is null then coalesce(hooks_lanes.due_at, received_at) else received_at end,
      attempts, error, received_at
    from hooks_deliveries as delivery left join hooks_lanes on hooks_lanes.lane = delivery.lane
    where delivery.lane is not null`.execute(db)
  await sql`
    insert into job_lanes (kind, lane, arrivals)
    select kind, lane, count(*) from jobs where kind = 'hook-delivery' group by kind, lane`.execute(db)
}

const rareColumns = ['mapping', 'session_key'] as const
const onceColumns = ['dedupe_key', 'nonce'] as const

/**
 * Each index is a page more that every commit writes. A hook without a mapping, a session, a key or a signature stands in
 * no index of these from here on.
 */
export const rareDeliveriesMigration: Migration = {
  name: 'hooks/0008-rare-deliveries',
  async up(db) {
    const onPostgres = db.getExecutor().adapter instanceof PostgresAdapter
    if (onPostgres) await dropConstraints(db)
    else await copyWithoutConstraints(db)
    const index = (column: string) => db.schema.createIndex(`hooks_deliveries_${column}`).on('hooks_deliveries')
    for (const column of onceColumns) {
      await index(column).column(column).unique().where(column, 'is not', null).execute()
    }
    for (const column of rareColumns)
      await index(column).columns([column, 'id']).where(column, 'is not', null).execute()
  },
}

async function dropConstraints(db: Kysely<unknown>): Promise<void> {
  for (const column of onceColumns) {
    await db.schema.alterTable('hooks_deliveries').dropConstraint(`hooks_deliveries_${column}_key`).execute()
  }
  for (const column of rareColumns) await db.schema.dropIndex(`hooks_deliveries_${column}`).execute()
}

/** SQLite keeps the constraints of a table as long as the table. */
async function copyWithoutConstraints(db: Kysely<unknown>): Promise<void> {
  const texts = ['id', 'state', 'path', 'sender', 'trust', 'headers', 'fingerprint']
  const numbers = ['attempts', 'duplicates', 'received_at']
  const maybeTexts = ['mapping', 'action', 'session_key', 'body', ...onceColumns, 'error', 'outcome', 'replay_of']
  const maybeNumbers = ['started_at', 'ended_at']
  let table = db.schema.createTable('hooks_deliveries_copy')
  for (const name of texts) {
    table = table.addColumn(name, 'text', (column) => (name === 'id' ? column.primaryKey() : column.notNull()))
  }
  for (const name of numbers) table = table.addColumn(name, 'bigint', (column) => column.notNull())
  for (const name of maybeTexts) table = table.addColumn(name, 'text')
  for (const name of maybeNumbers) table = table.addColumn(name, 'bigint')
  await table.execute()
  const columns = sql.join([...texts, ...numbers, ...maybeTexts, ...maybeNumbers].map((name) => sql.ref(name)))
  await sql`insert into hooks_deliveries_copy (${columns}) select ${columns} from hooks_deliveries order by id`.execute(
    db,
  )
  await db.schema.dropTable('hooks_deliveries').execute()
  await db.schema.alterTable('hooks_deliveries_copy').renameTo('hooks_deliveries').execute()
  await db.schema.createIndex('hooks_deliveries_state').on('hooks_deliveries').columns(['state', 'id']).execute()
}
