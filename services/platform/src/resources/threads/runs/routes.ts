import { pageQuery, stringsParam } from '@atoll/kernel/http/query'
import { events, type ServerSentEvent } from '@atoll/kernel/http/reply'
import { z } from 'zod'
import { defineRoute } from '../../../callers.ts'
import { listOf } from '../../../conventions/lists.ts'
import { tellPollInterval } from '../../../conventions/poll-after.ts'
import {
  CreateRun,
  CreateThreadAndRun,
  RunObject,
  RunParams,
  SubmitToolOutputs,
  ThreadParams,
  UpdateRun,
} from './schema.ts'
import type { Runs } from './service.ts'
import { Included } from './steps/schema.ts'
import type { RunEvent } from './stream/events.ts'

const runsPath = '/v1/threads/:thread_id/runs'
const runPath = `${runsPath}/:run_id`
const common = { variant: 'v2', auth: 'project' } as const

export const runRoutes = (runs: Runs) => [
  defineRoute({
    ...common,
    method: 'POST',
    path: runsPath,
    summary: 'Create a run',
    params: ThreadParams,
    query: z.strictObject({ include: stringsParam(Included) }),
    body: CreateRun,
    takesLargeJson: true,
    response: RunObject,
    handler: async ({ caller, params: { thread_id }, query, body, signal }) => {
      if (body.stream !== true) return runs.create(caller, thread_id, body)
      const includeSearchContent = query.include !== undefined || (body.include?.length ?? 0) > 0
      return events(frames(await runs.createStream(caller, thread_id, body, { includeSearchContent, signal }))) // AST-098
    },
  }),
  defineRoute({
    ...common,
    method: 'POST',
    path: '/v1/threads/runs',
    summary: 'Create a thread and run it',
    body: CreateThreadAndRun,
    takesLargeJson: true,
    response: RunObject,
    handler: async ({ caller, body, signal }) => {
      if (body.stream !== true) return runs.createThreadAndRun(caller, body)
      return events(frames(await runs.createThreadAndRunStream(caller, body, { signal })))
    },
  }),
  ...runsOfThread(runs),
]

const runsOfThread = (runs: Runs) => [
  defineRoute({
    ...common,
    method: 'GET',
    path: runsPath,
    summary: 'List runs',
    params: ThreadParams,
    query: pageQuery({ maxLimit: 100, defaultLimit: 20 }),
    response: listOf(RunObject),
    handler: ({ caller, params, query }) => runs.list(caller, params.thread_id, query),
  }),
  defineRoute({
    ...common,
    method: 'GET',
    path: runPath,
    summary: 'Retrieve a run',
    params: RunParams,
    response: RunObject,
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
    response: RunObject,
    handler: ({ caller, params, body }) => runs.update(caller, params.thread_id, params.run_id, body),
  }),
  defineRoute({
    ...common,
    method: 'POST',
    path: `${runPath}/cancel`,
    summary: 'Cancel a run',
    params: RunParams,
    response: RunObject,
    handler: ({ caller, params }) => runs.cancel(caller, params.thread_id, params.run_id),
  }),
  defineRoute({
    ...common,
    method: 'POST',
    path: `${runPath}/submit_tool_outputs`,
    summary: 'Submit tool outputs to a run',
    params: RunParams,
    body: SubmitToolOutputs,
    takesLargeJson: true,
    response: RunObject,
    handler: async ({ caller, params: { thread_id, run_id }, body, signal }) => {
      if (body.stream !== true) return runs.submitToolOutputs(caller, thread_id, run_id, body)
      return events(frames(await runs.submitToolOutputsStream(caller, thread_id, run_id, body, { signal })))
    },
  }),
]

/** An `event` line and a `data` line each. AST-100 */
async function* frames(stream: AsyncIterable<RunEvent>): AsyncGenerator<ServerSentEvent> {
  for await (const { event, data } of stream) {
    yield { event, data: typeof data === 'string' ? data : JSON.stringify(data) }
  }
}
