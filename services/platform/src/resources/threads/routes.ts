import { defineRoute } from '../../callers.ts'
import { CreateThread, ThreadDeleted, ThreadObject, ThreadParams, UpdateThread } from './schema.ts'
import type { Threads } from './service.ts'

export const threadRoutes = (threads: Threads) => [
  defineRoute({
    method: 'POST',
    path: '/v1/threads',
    variant: 'v2',
    auth: 'project',
    summary: 'Create a thread',
    body: CreateThread,
    takesLargeJson: true,
    response: ThreadObject,
    handler: ({ caller, body }) => threads.create(caller, body),
  }),
  defineRoute({
    method: 'GET',
    path: '/v1/threads/:thread_id',
    variant: 'v2',
    auth: 'project',
    summary: 'Retrieve a thread',
    params: ThreadParams,
    response: ThreadObject,
    handler: ({ caller, params }) => threads.get(caller, params.thread_id),
  }),
  defineRoute({
    method: 'POST',
    path: '/v1/threads/:thread_id',
    variant: 'v2',
    auth: 'project',
    summary: 'Modify a thread',
    params: ThreadParams,
    body: UpdateThread,
    response: ThreadObject,
    handler: ({ caller, params, body }) => threads.update(caller, params.thread_id, body),
  }),
  defineRoute({
    method: 'DELETE',
    path: '/v1/threads/:thread_id',
    variant: 'v2',
    auth: 'project',
    summary: 'Delete a thread',
    params: ThreadParams,
    response: ThreadDeleted,
    handler: ({ caller, params }) => threads.delete(caller, params.thread_id),
  }),
]
