import type { Migration } from '@atoll/kernel/db/migration'

const times = [
  'in_progress_at',
  'finalizing_at',
  'completed_at',
  'failed_at',
  'expired_at',
  'cancelling_at',
  'cancelled_at',
]

export const batchesMigration: Migration = {
  name: 'platform/0007-batches',
  async up(db) {
    let batches = db.schema
      .createTable('batches')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('position', 'bigint', (column) => column.notNull())
      .addColumn('project_id', 'text', (column) => column.notNull())
      .addColumn('caller', 'text', (column) => column.notNull())
      .addColumn('endpoint', 'text', (column) => column.notNull())
      .addColumn('input_file_id', 'text', (column) => column.notNull())
      .addColumn('status', 'text', (column) => column.notNull())
      .addColumn('errors', 'text')
      .addColumn('output_file_id', 'text')
      .addColumn('error_file_id', 'text')
      .addColumn('metadata', 'text')
      .addColumn('total', 'bigint', (column) => column.notNull())
      .addColumn('completed', 'bigint', (column) => column.notNull())
      .addColumn('failed', 'bigint', (column) => column.notNull())
      .addColumn('open_chunks', 'bigint', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('expires_at', 'bigint', (column) => column.notNull())
    for (const time of times) batches = batches.addColumn(time, 'bigint')
    await batches.execute()
    await db.schema.createIndex('batches_by_project').on('batches').columns(['project_id', 'position', 'id']).execute()
    await db.schema.createIndex('batches_by_status').on('batches').columns(['status', 'expires_at']).execute()
    await db.schema
      .createTable('batch_lines')
      .addColumn('batch_id', 'text', (column) => column.notNull())
      .addColumn('line', 'bigint', (column) => column.notNull())
      .addColumn('custom_id', 'text', (column) => column.notNull())
      .addColumn('start', 'bigint', (column) => column.notNull())
      .addColumn('bytes', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('batch_lines_key', ['batch_id', 'line'])
      .execute()
    await db.schema
      .createTable('batch_results')
      .addColumn('batch_id', 'text', (column) => column.notNull())
      .addColumn('line', 'bigint', (column) => column.notNull())
      .addColumn('outcome', 'text', (column) => column.notNull())
      .addColumn('text', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint('batch_results_key', ['batch_id', 'line'])
      .execute()
    // Counted at every look at a batch: without their texts.
    await db.schema
      .createIndex('batch_results_by_outcome')
      .on('batch_results')
      .columns(['batch_id', 'outcome'])
      .execute()
  },
}
