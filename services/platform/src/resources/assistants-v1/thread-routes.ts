// Threads.

import { defineRoute } from '../../callers.ts'
import { inWordsOfV1 } from '../../errors/assistants-v1.ts'
import { ThreadDeleted, ThreadParams } from '../threads/schema.ts'
import type { Threads } from '../threads/service.ts'
import { threadToV1, threadToV2 } from './message-form.ts'
import { CreateThreadV1, ThreadV1, UpdateThreadV1 } from './message-schema.ts'

const common = { variant: 'v1', auth: 'project' } as const
const threadPath = '/v1/threads/:thread_id'

export const threadRoutesV1 = (threads: Threads) => [
  defineRoute({
    ...common,
    method: 'POST',
    path: '/v1/threads',
    summary: 'Create a thread',
    body: CreateThreadV1,
    takesLargeJson: true,
    response: ThreadV1,
    handler: async ({ caller, body }) => threadToV1(await inWordsOfV1(threads.create(caller, threadToV2(body)))),
  }),
  defineRoute({
    ...common,
    method: 'GET',
    path: threadPath,
    summary: 'Retrieve a thread',
    params: ThreadParams,
    response: ThreadV1,
    handler: async ({ caller, params }) => threadToV1(await threads.get(caller, params.thread_id)),
  }),
  defineRoute({
    ...common,
    method: 'POST',
    path: threadPath,
    summary: 'Modify a thread',
    params: ThreadParams,
    body: UpdateThreadV1,
    response: ThreadV1,
    handler: async ({ caller, params, body }) => threadToV1(await threads.update(caller, params.thread_id, body)),
  }),
  defineRoute({
    ...common,
    method: 'DELETE',
    path: threadPath,
    summary: 'Delete a thread',
    params: ThreadParams,
    response: ThreadDeleted,
    handler: ({ caller, params }) => threads.delete(caller, params.thread_id),
  }),
]
