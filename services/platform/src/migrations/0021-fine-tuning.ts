import type { Migration } from '@atoll/kernel/db/migration'

export const fineTuningMigration: Migration = {
  name: 'platform/0021-fine-tuning',
  async up(db) {
    await db.schema
      .createTable('fine_tuning_jobs')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('position', 'bigint', (column) => column.notNull())
      .addColumn('project_id', 'text', (column) => column.notNull())
      .addColumn('organization_id', 'text', (column) => column.notNull())
      .addColumn('model', 'text', (column) => column.notNull())
      .addColumn('training_file', 'text', (column) => column.notNull())
      .addColumn('validation_file', 'text')
      .addColumn('suffix', 'text')
      .addColumn('seed', 'bigint', (column) => column.notNull())
      .addColumn('hyperparameters', 'text', (column) => column.notNull())
      .addColumn('status', 'text', (column) => column.notNull())
      .addColumn('error', 'text')
      .addColumn('fine_tuned_model', 'text')
      .addColumn('result_file', 'text')
      .addColumn('trained_tokens', 'bigint')
      .addColumn('told_steps', 'bigint', (column) => column.notNull())
      .addColumn('work_id', 'text')
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('finished_at', 'bigint')
      .addColumn('estimated_finish', 'bigint')
      .execute()
    await db.schema
      .createIndex('fine_tuning_jobs_by_project')
      .on('fine_tuning_jobs')
      .columns(['project_id', 'position', 'id'])
      .execute()
    await db.schema
      .createTable('fine_tuning_events')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('position', 'bigint', (column) => column.notNull())
      .addColumn('job_id', 'text', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('level', 'text', (column) => column.notNull())
      .addColumn('type', 'text', (column) => column.notNull())
      .addColumn('message', 'text', (column) => column.notNull())
      .addColumn('data', 'text')
      .execute()
    await db.schema
      .createIndex('fine_tuning_events_by_job')
      .on('fine_tuning_events')
      .columns(['job_id', 'position', 'id'])
      .execute()
    await db.schema
      .createTable('fine_tuning_checkpoints')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('position', 'bigint', (column) => column.notNull())
      .addColumn('job_id', 'text', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('model', 'text', (column) => column.notNull())
      .addColumn('step_number', 'bigint', (column) => column.notNull())
      .addColumn('metrics', 'text', (column) => column.notNull())
      .execute()
    await db.schema
      .createIndex('fine_tuning_checkpoints_by_job')
      .on('fine_tuning_checkpoints')
      .columns(['job_id', 'position', 'id'])
      .execute()
    // Whether the bytes of an adapter are kept under the model's id.
    await db.schema
      .alterTable('fine_tuned_models')
      .addColumn('has_adapter', 'bigint', (column) => column.notNull().defaultTo(0))
      .execute()
  },
}
