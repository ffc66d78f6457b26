import { z } from 'zod'
import { Metadata } from '../chat/completions/metadata/schema.ts'

const auto = z.literal('auto')

/** A literal by itself would be told as the only value there is. */
const orAuto = <Number extends z.ZodNumber>(number: Number, words: string) => {
  const expects = `${words} or 'auto'`
  const error = ({ input }: { input?: unknown }): string =>
    `expected ${expects}, but got '${String(input).slice(0, 64)}'`
  return z
    .union([number, z.templateLiteral(['auto'], { error })])
    .default('auto')
    .meta({ expects })
}

export const Hyperparameters = z.strictObject({
  n_epochs: orAuto(z.int().min(1).max(50), 'a whole number from 1 to 50'), // INF-142
  batch_size: orAuto(z.int().min(1).max(256), 'a whole number from 1 to 256'),
  learning_rate_multiplier: orAuto(z.number().gt(0).max(100), 'a number above 0, up to 100'),
})
export type Hyperparameters = z.output<typeof Hyperparameters>

const fileId = z.string().min(1).max(256)
const Integration = z.looseObject({ type: z.enum(['wandb']) })

/** As later clients ask for what `hyperparameters` asks for. */
const Method = z.strictObject({
  type: z.enum(['supervised', 'dpo', 'reinforcement']),
  supervised: z.strictObject({ hyperparameters: Hyperparameters.nullish() }).nullish(),
  dpo: z.unknown().optional(),
  reinforcement: z.unknown().optional(),
})

const suffixFault = ({ input }: { input?: unknown }): string =>
  `expected 1 to 64 of the letters A to Z and a to z, digits, '-', '_' and '.', but got '${String(input).slice(0, 64)}'`

export const CreateFineTuningJob = z.strictObject({
  model: z.string().min(1).max(256), // INF-130
  training_file: fileId, // INF-131
  validation_file: fileId.nullish(), // INF-134
  hyperparameters: Hyperparameters.nullish(),
  suffix: z
    .string()
    .min(1)
    .max(64)
    .regex(/^[\w.-]+$/, { error: suffixFault })
    .nullish(), // INF-133
  integrations: z.array(Integration).max(5).nullish(),
  seed: z.int().min(0).max(2_147_483_647).nullish(),
  method: Method.nullish(),
  metadata: Metadata.nullish(),
})
export type CreateFineTuningJob = z.output<typeof CreateFineTuningJob>

export const JobParams = z.strictObject({ fine_tuning_job_id: z.string() })

const time = z.int().nullable()

export const jobStatuses = [
  ...(['validating_files', 'queued', 'running', 'paused'] as const),
  ...(['succeeded', 'failed', 'cancelled'] as const),
] as const
export type JobStatus = (typeof jobStatuses)[number]

export const JobError = z.object({ code: z.string(), message: z.string(), param: z.string().nullable() })
export type JobError = z.output<typeof JobError>

const ChosenHyperparameters = z.object({
  n_epochs: z.union([auto, z.int()]),
  batch_size: z.union([auto, z.int()]),
  learning_rate_multiplier: z.union([auto, z.number()]),
})

export const FineTuningJob = z.object({
  object: z.literal('fine_tuning.job'),
  id: z.string(),
  model: z.string(),
  created_at: z.int(),
  finished_at: time,
  fine_tuned_model: z.string().nullable(),
  organization_id: z.string(),
  result_files: z.array(z.string()),
  status: z.enum(jobStatuses),
  validation_file: z.string().nullable(),
  training_file: z.string(),
  hyperparameters: ChosenHyperparameters,
  method: z.object({
    type: z.literal('supervised'),
    supervised: z.object({ hyperparameters: ChosenHyperparameters }),
  }),
  trained_tokens: z.int().nullable(),
  error: JobError.nullable(),
  user_provided_suffix: z.string().nullable(),
  seed: z.int(),
  estimated_finish: time,
  integrations: z.array(Integration),
  metadata: Metadata.nullable(),
})
export type FineTuningJob = z.output<typeof FineTuningJob>

export const FineTuningEvent = z.object({
  object: z.literal('fine_tuning.job.event'),
  id: z.string(),
  created_at: z.int(),
  level: z.enum(['info', 'warn', 'error']),
  message: z.string(),
  data: z.record(z.string(), z.unknown()).nullable(),
  type: z.enum(['message', 'metrics']),
})
export type FineTuningEvent = z.output<typeof FineTuningEvent>

/** Those with a validation file have the last four. */
export const CheckpointMetrics = z.object({
  step: z.number(),
  train_loss: z.number(),
  train_mean_token_accuracy: z.number(),
  valid_loss: z.number().optional(),
  valid_mean_token_accuracy: z.number().optional(),
  full_valid_loss: z.number().optional(),
  full_valid_mean_token_accuracy: z.number().optional(),
})
export type CheckpointMetrics = z.output<typeof CheckpointMetrics>

export const FineTuningCheckpoint = z.object({
  object: z.literal('fine_tuning.job.checkpoint'),
  id: z.string(),
  created_at: z.int(),
  fine_tuned_model_checkpoint: z.string(),
  fine_tuning_job_id: z.string(),
  step_number: z.int(),
  metrics: CheckpointMetrics,
})
export type FineTuningCheckpoint = z.output<typeof FineTuningCheckpoint>
