// Rows as callers see them.
import type { FineTuningCheckpoint, FineTuningEvent, FineTuningJob } from './schema.ts'
import type * as store from './store.ts'

export const presentJob = (row: store.FineTuningJobRow): FineTuningJob => jobWith(row, JSON.parse(row.hyperparameters))

const jobWith = (row: store.FineTuningJobRow, hyperparameters: FineTuningJob['hyperparameters']): FineTuningJob => ({
  object: 'fine_tuning.job',
  id: row.id,
  model: row.model,
  created_at: row.created_at,
  finished_at: row.finished_at,
  fine_tuned_model: row.fine_tuned_model,
  organization_id: row.organization_id,
  result_files: row.result_file === null ? [] : [row.result_file],
  status: row.status,
  validation_file: row.validation_file,
  training_file: row.training_file,
  hyperparameters,
  method: { type: 'supervised', supervised: { hyperparameters } },
  trained_tokens: row.trained_tokens,
  error: row.error === null ? null : JSON.parse(row.error),
  user_provided_suffix: row.suffix,
  seed: row.seed,
  estimated_finish: row.estimated_finish,
  integrations: row.integrations === null ? [] : JSON.parse(row.integrations),
  metadata: row.metadata === null ? null : JSON.parse(row.metadata),
})

export const presentEvent = (row: store.FineTuningEventRow): FineTuningEvent => ({
  object: 'fine_tuning.job.event',
  id: row.id,
  created_at: row.created_at,
  level: row.level,
  message: row.message,
  data: row.data === null ? null : JSON.parse(row.data),
  type: row.type,
})

export const presentCheckpoint = (row: store.FineTuningCheckpointRow): FineTuningCheckpoint => ({
  object: 'fine_tuning.job.checkpoint',
  id: row.id,
  created_at: row.created_at,
  fine_tuned_model_checkpoint: row.model,
  fine_tuning_job_id: row.job_id,
  step_number: row.step_number,
  metrics: JSON.parse(row.metrics),
})
