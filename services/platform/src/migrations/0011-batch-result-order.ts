import type { Migration } from '@atoll/kernel/db/migration'

/** Results of batches that ran before this have position 0: they come first, in the order of their lines. */
export const batchResultOrderMigration: Migration = {
  name: 'platform/0011-batch-result-order',
  async up(db) {
    await db.schema
      .alterTable('batch_results')
      .addColumn('position', 'bigint', (column) => column.notNull().defaultTo(0))
      .execute()
    await db.schema.dropIndex('batch_results_by_outcome').execute()
    // Counted at every look at a batch, without their texts; read in this order at its end.
    await db.schema
      .createIndex('batch_results_as_finished')
      .on('batch_results')
      .columns(['batch_id', 'outcome', 'position', 'line'])
      .execute()
  },
}
