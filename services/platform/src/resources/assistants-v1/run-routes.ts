// Runs and their steps.
import { pageQuery } from '@atoll/kernel/http/query'
import { events } from '@atoll/kernel/http/reply'
import { defineRoute } from '../../callers.ts'
import { listOf } from '../../conventions/lists.ts'
import { tellPollInterval } from '../../conventions/poll-after.ts'
import { RunParams, SubmitToolOutputs, ThreadParams, UpdateRun } from '../threads/runs/schema.ts'
import { StepParams } from '../threads/runs/steps/schema.ts'
import { CreateRunV1, CreateThreadAndRunV1, RunStepV1, RunV1 } from './run-schema.ts'
import type { RunsV1 } from './runs.ts'

const common = { variant: 'v1', auth: 'project' } as const
const runsPath = '/v1/threads/:thread_id/runs'
const runPath = `${runsPath}/:run_id`
const stepsPath = `${runPath}/steps`
const page = pageQuery({ maxLimit: 100, defaultLimit: 20 })

/** What begins a run, or lets it go on: answered at once, or as a stream. */
export const runningRoutesV1 = (runs: RunsV1) => [
  defineRoute({
    ...common,
    method: 'POST',
    path: runsPath,
    summary: 'Create a run',
    params: ThreadParams,
    body: CreateRunV1,
    takesLargeJson: true,
    response: RunV1,
    handler: async ({ caller, params: { thread_id }, body, signal }) => {
      if (body.stream !== true) return runs.create(caller, thread_id, body)
      return events(await runs.createStream(caller, thread_id, body, signal))
    },
  }),
  defineRoute({
    ...common,
    method: 'POST',
    path: '/v1/threads/runs',
    summary: 'Create a thread and run it',
    body: CreateThreadAndRunV1,
    takesLargeJson: true,
    response: RunV1,
    handler: async ({ caller, body, signal }) => {
      if (body.stream !== true) return runs.createThreadAndRun(caller, body)
      return events(await runs.createThreadAndRunStream(caller, body, signal))
    },
  }),
  defineRoute({
    ...common,
    method: 'POST',
    path: `${runPath}/submit_tool_outputs`,
    summary: 'Submit tool outputs to a run',
    params: RunParams,
    body: SubmitToolOutputs,
    takesLargeJson: true,
    response: RunV1,
    handler: async ({ caller, params: { thread_id, run_id }, body, signal }) => {
      if (body.stream !== true) return runs.submitToolOutputs(caller, thread_id, run_id, body)
      return events(await runs.submitToolOutputsStream(caller, thread_id, run_id, body, signal))
    },
  }),
]

export const runRoutesV1 = (runs: RunsV1) => [
  defineRoute({
    ...common,
    method: 'GET',
    path: runsPath,
    summary: 'List runs',
    params: ThreadParams,
    query: page,
    response: listOf(RunV1),
    handler: ({ caller, params, query }) => runs.list(caller, params.thread_id, query),
  }),
  defineRoute({
    ...common,
    method: 'GET',
    path: runPath,
    summary: 'Retrieve a run',
    params: RunParams,
    response: RunV1,
    handler: ({ caller, params, setHeader }) => {
      tellPollInterval(setHeader)
      return runs.get(caller, params.thread_id, params.run_id)
    },
  }),
  defineRoute({
    ...common,
    method: 'POST',
    path: runPath,
    summary: 'Modify a run',
    params: RunParams,
    body: UpdateRun,
    response: RunV1,
    handler: ({ caller, params, body }) => runs.update(caller, params.thread_id, params.run_id, body),
  }),
  defineRoute({
    ...common,
    method: 'POST',
    path: `${runPath}/cancel`,
    summary: 'Cancel a run',
    params: RunParams,
    response: RunV1,
    handler: ({ caller, params }) => runs.cancel(caller, params.thread_id, params.run_id),
  }),
]

export const runStepRoutesV1 = (runs: RunsV1) => [
  defineRoute({
    ...common,
    method: 'GET',
    path: stepsPath,
    summary: 'List run steps',
    params: RunParams,
    query: page, // AST-089
    response: listOf(RunStepV1),
    handler: ({ caller, params, query }) => runs.listSteps(caller, params.thread_id, params.run_id, query),
  }),
  defineRoute({
    ...common,
    method: 'GET',
    path: `${stepsPath}/:step_id`,
    summary: 'Retrieve a run step',
    params: StepParams,
    response: RunStepV1,
    handler: ({ caller, params: { thread_id, run_id, step_id } }) => runs.getStep(caller, thread_id, run_id, step_id),
  }),
]
