import type { Migration } from '@atoll/kernel/db/migration'

export const fineTuningSourcesMigration: Migration = {
  name: 'platform/0023-fine-tuning-sources',
  async up(db) {
    // The file it was trained on, by its content; and the id it has at the server that trained it.
    for (const column of ['base_sha256', 'remote_model']) {
      await db.schema.alterTable('fine_tuned_models').addColumn(column, 'text').execute()
    }
    // What another server knows of a job that was handed on to it; and where its metrics are sent.
    for (const column of ['remote', 'integrations']) {
      await db.schema.alterTable('fine_tuning_jobs').addColumn(column, 'text').execute()
    }
  },
}
