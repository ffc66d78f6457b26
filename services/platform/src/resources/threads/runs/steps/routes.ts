import { pageQuery, stringsParam } from '@atoll/kernel/http/query'
import { z } from 'zod'
import { defineRoute } from '../../../../callers.ts'
import { listOf } from '../../../../conventions/lists.ts'
import { RunParams } from '../schema.ts'
import { Included, RunStepObject, StepParams } from './schema.ts'
import type { RunSteps } from './service.ts'

const include = stringsParam(Included)
const steps = '/v1/threads/:thread_id/runs/:run_id/steps'

export const runStepRoutes = (service: RunSteps) => [
  defineRoute({
    method: 'GET',
    path: steps,
    variant: 'v2',
    auth: 'project',
    summary: 'List run steps',
    params: RunParams,
    query: pageQuery({ maxLimit: 100, defaultLimit: 20 }).extend({ include }), // AST-089
    response: listOf(RunStepObject),
    handler: ({ caller, params, query }) => service.list(caller, params.thread_id, params.run_id, query),
  }),
  defineRoute({
    method: 'GET',
    path: `${steps}/:step_id`,
    variant: 'v2',
    auth: 'project',
    summary: 'Retrieve a run step',
    params: StepParams,
    query: z.strictObject({ include }),
    response: RunStepObject,
    handler: ({ caller, params, query }) => service.get(caller, params.thread_id, params.run_id, params.step_id, query),
  }),
]
