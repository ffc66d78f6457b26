import type { Migration } from '@atoll/kernel/db/migration'
import { PostgresAdapter, sql } from 'kysely'

type Schema = Parameters<Migration['up']>[0]

const onPostgres = (db: Schema): boolean => db.getExecutor().adapter instanceof PostgresAdapter

/** The entries themselves are in the kernel's chains; here is what they can be found by. */
async function createLogs(db: Schema): Promise<void> {
  // A row here is for good: an audit log that was switched on stays on.
  await db.schema
    .createTable('audit_activations')
    .addColumn('organization_id', 'text', (column) => column.primaryKey().references('organizations.id'))
    .addColumn('activated_at', 'bigint', (column) => column.notNull())
    .addColumn('indexed_up_to', 'bigint', (column) => column.notNull().defaultTo(0))
    .execute()
  const table = db.schema
    .createTable('audit_logs')
    .addColumn('id', 'text', (column) => column.notNull().unique())
    .addColumn('organization_id', 'text', (column) => column.notNull().references('organizations.id'))
    .addColumn('seq', 'bigint', (column) => column.notNull())
    .addColumn('type', 'text', (column) => column.notNull())
    .addColumn('effective_at', 'bigint', (column) => column.notNull())
    .addColumn('project_id', 'text')
    .addColumn('actor_id', 'text')
    .addColumn('actor_key_id', 'text')
    .addColumn('actor_email', 'text')
    .addColumn('resource_id', 'text')
    // Entries come into the indexes below many at a time: one by one, they would double the cost of a change.
    .addColumn('indexed', 'bigint', (column) => column.notNull().defaultTo(0))
    .addPrimaryKeyConstraint('audit_logs_key', ['organization_id', 'seq'])
  await (onPostgres(db) ? table : table.modifyEnd(sql`without rowid`)).execute()
  for (const column of [
    'type',
    'effective_at',
    'project_id',
    'actor_id',
    'actor_key_id',
    'actor_email',
    'resource_id',
  ]) {
    await db.schema
      .createIndex(`audit_logs_by_${column}`)
      .on('audit_logs')
      .columns(['organization_id', column, 'seq'])
      .where(sql.ref('indexed'), '=', sql.lit(1))
      .execute()
  }
}

const chained = ['chain', 'seq', 'entry', 'previous', 'hash']
const listed = ['id', 'organization_id', 'type', 'effective_at', 'project_id']
const actor = ['actor_id', 'actor_key_id', 'actor_email', 'resource_id']

/** Whole entries. One that is inserted goes to all three places: one statement, where three take three times as long. */
async function createWholeEntries(db: Schema): Promise<void> {
  const columns = [...chained.map((name) => `chained.${name}`), ...[...listed, ...actor].map((name) => `log.${name}`)]
  await sql`create view audit_log_entries as select ${sql.raw(columns.join(', '))} from audit_logs as log
    join audit_entries as chained on chained.seq = log.seq and chained.chain = 'organization:' || log.organization_id`.execute(
    db,
  )
  // The head goes first: that is where PostgreSQL sees that two write at once.
  const inserts = sql`
    insert into audit_heads (chain, seq, hash) values (new.chain, new.seq, new.hash)
      on conflict (chain) do update set seq = excluded.seq, hash = excluded.hash;
    ${copying('audit_entries', chained)};
    ${copying('audit_logs', ['seq', ...listed, ...actor])};`
  if (!onPostgres(db)) {
    await sql`create trigger audit_log_entry instead of insert on audit_log_entries begin ${inserts} end`.execute(db)
    return
  }
  await sql`create function append_audit_log_entry() returns trigger language plpgsql
    as $$ begin ${inserts} return new; end $$`.execute(db)
  await sql`create trigger audit_log_entry instead of insert on audit_log_entries
    for each row execute function append_audit_log_entry()`.execute(db)
}

const copying = (table: string, columns: string[]) =>
  sql.raw(`insert into ${table} (${columns.join(', ')}) values (${columns.map((name) => `new.${name}`).join(', ')})`)

async function createSessions(db: Schema): Promise<void> {
  await db.schema
    .createTable('console_sessions')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('digest', 'text', (column) => column.notNull().unique())
    .addColumn('key_id', 'text', (column) => column.notNull())
    .addColumn('organization_id', 'text', (column) => column.notNull())
    .addColumn('user_id', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('expires_at', 'bigint', (column) => column.notNull())
    .execute()
  await db.schema.createIndex('console_sessions_expiry').on('console_sessions').column('expires_at').execute()
}

export const auditMigration: Migration = {
  name: 'platform/0014-audit',
  async up(db) {
    await createLogs(db)
    await createWholeEntries(db)
    await createSessions(db)
  },
}
