import type { Migration } from '@atoll/kernel/db/migration'

type Db = Parameters<Migration['up']>[0]

export const vectorStoresMigration: Migration = {
  name: 'platform/0009-vector-stores',
  async up(db) {
    await createStores(db)
    await createFiles(db)
    await createFileBatches(db)
  },
}

async function createStores(db: Db): Promise<void> {
  await db.schema
    .createTable('vector_stores')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('position', 'bigint', (column) => column.notNull())
    .addColumn('project_id', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('name', 'text')
    .addColumn('metadata', 'text', (column) => column.notNull())
    .addColumn('model', 'text', (column) => column.notNull())
    .addColumn('dimensions', 'bigint')
    .addColumn('expires_after_days', 'bigint')
    .addColumn('expires_at', 'bigint')
    .addColumn('last_active_at', 'bigint', (column) => column.notNull())
    .addColumn('expired', 'bigint', (column) => column.notNull())
    .execute()
  await db.schema
    .createIndex('vector_stores_by_project')
    .on('vector_stores')
    .columns(['project_id', 'position', 'id'])
    .execute()
  await db.schema
    .createIndex('vector_stores_by_expiry')
    .on('vector_stores')
    .columns(['expired', 'expires_at'])
    .execute()
}

async function createFiles(db: Db): Promise<void> {
  await db.schema
    .createTable('vector_store_files')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('position', 'bigint', (column) => column.notNull())
    .addColumn('store_id', 'text', (column) => column.notNull())
    .addColumn('file_id', 'text', (column) => column.notNull())
    .addColumn('batch_id', 'text')
    .addColumn('caller', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('status', 'text', (column) => column.notNull())
    .addColumn('error', 'text')
    .addColumn('chunk_tokens', 'bigint', (column) => column.notNull())
    .addColumn('overlap_tokens', 'bigint', (column) => column.notNull())
    .addColumn('chunks', 'bigint', (column) => column.notNull())
    .addColumn('usage_bytes', 'bigint', (column) => column.notNull())
    .addColumn('failures', 'bigint', (column) => column.notNull())
    .addColumn('removed_at', 'bigint')
    .execute()
  const index = (name: string, columns: string[]) =>
    db.schema.createIndex(`vector_store_files_by_${name}`).on('vector_store_files').columns(columns)
  await index('file', ['file_id', 'store_id']).unique().execute()
  await index('store', ['store_id', 'position', 'id']).execute()
  // Counted at every look at a store.
  await index('status', ['store_id', 'status', 'usage_bytes']).execute()
  await index('batch', ['batch_id']).execute()
  await index('removal', ['removed_at']).execute()
}

async function createFileBatches(db: Db): Promise<void> {
  await db.schema
    .createTable('vector_store_file_batches')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('store_id', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('cancel', 'text')
    .execute()
  await db.schema
    .createIndex('vector_store_file_batches_by_store')
    .on('vector_store_file_batches')
    .columns(['store_id', 'cancel'])
    .execute()
  await db.schema
    .createTable('vector_store_batch_members')
    .addColumn('batch_id', 'text', (column) => column.notNull())
    .addColumn('file_id', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('vector_store_batch_members_key', ['batch_id', 'file_id'])
    .execute()
}
