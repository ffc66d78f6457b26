import { pageQuery } from '@atoll/kernel/http/query'
import { defineRoute } from '../../callers.ts'
import { listOf } from '../../conventions/lists.ts'
import { CreateFineTuningJob, FineTuningCheckpoint, FineTuningEvent, FineTuningJob, JobParams } from './schema.ts'
import type { FineTuning } from './service.ts'

const jobs = '/v1/fine_tuning/jobs'
const job = `${jobs}/:fine_tuning_job_id`

export const fineTuningRoutes = (fineTuning: FineTuning) => [
  defineRoute({
    method: 'POST',
    path: jobs,
    auth: 'project',
    summary: 'Create a fine-tuning job',
    body: CreateFineTuningJob,
    response: FineTuningJob,
    handler: ({ caller, body }) => fineTuning.create(caller, body),
  }),
  defineRoute({
    method: 'GET',
    path: jobs,
    auth: 'project',
    summary: 'List fine-tuning jobs',
    query: pageQuery({ maxLimit: 100, defaultLimit: 20 }),
    response: listOf(FineTuningJob),
    handler: ({ caller, query }) => fineTuning.list(caller, query),
  }),
  defineRoute({
    method: 'GET',
    path: job,
    auth: 'project',
    summary: 'Retrieve a fine-tuning job',
    params: JobParams,
    response: FineTuningJob,
    handler: ({ caller, params }) => fineTuning.get(caller, params.fine_tuning_job_id),
  }),
  toState(fineTuning, 'cancel', 'Cancel a fine-tuning job'),
  toState(fineTuning, 'pause', 'Pause a fine-tuning job'),
  toState(fineTuning, 'resume', 'Resume a paused fine-tuning job'),
  defineRoute({
    method: 'GET',
    path: `${job}/events`,
    auth: 'project',
    summary: 'List events of a fine-tuning job',
    params: JobParams,
    query: pageQuery({ maxLimit: 100, defaultLimit: 20 }),
    response: listOf(FineTuningEvent),
    handler: ({ caller, params, query }) => fineTuning.events(caller, params.fine_tuning_job_id, query),
  }),
  defineRoute({
    method: 'GET',
    path: `${job}/checkpoints`,
    auth: 'project',
    summary: 'List checkpoints of a fine-tuning job',
    params: JobParams,
    query: pageQuery({ maxLimit: 100, defaultLimit: 10 }),
    response: listOf(FineTuningCheckpoint),
    handler: ({ caller, params, query }) => fineTuning.checkpoints(caller, params.fine_tuning_job_id, query),
  }),
]

const toState = (fineTuning: FineTuning, action: 'cancel' | 'pause' | 'resume', summary: string) =>
  defineRoute({
    method: 'POST',
    path: `${job}/${action}`,
    auth: 'project',
    summary,
    params: JobParams,
    response: FineTuningJob,
    handler: ({ caller, params }) => fineTuning[action](caller, params.fine_tuning_job_id),
  })
