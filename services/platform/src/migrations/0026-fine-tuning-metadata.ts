import type { Migration } from '@atoll/kernel/db/migration'

export const fineTuningMetadataMigration: Migration = {
  name: 'platform/0026-fine-tuning-metadata',
  async up(db) {
    await db.schema.alterTable('fine_tuning_jobs').addColumn('metadata', 'text').execute()
  },
}
