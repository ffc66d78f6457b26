import { pageQuery } from '@atoll/kernel/http/query'
import { z } from 'zod'
import { defineRoute } from '../../../callers.ts'
import { listOf } from '../../../conventions/lists.ts'
import { CreateMessage, MessageDeleted, MessageObject, MessageParams, MessagesParams, UpdateMessage } from './schema.ts'
import type { Messages } from './service.ts'

const maxIdLetters = 256

export const messageRoutes = (messages: Messages) => [
  defineRoute({
    method: 'POST',
    path: '/v1/threads/:thread_id/messages',
    variant: 'v2',
    auth: 'project',
    summary: 'Create a message',
    params: MessagesParams,
    body: CreateMessage,
    takesLargeJson: true,
    response: MessageObject,
    handler: ({ caller, params, body }) => messages.create(caller, params.thread_id, body),
  }),
  defineRoute({
    method: 'GET',
    path: '/v1/threads/:thread_id/messages',
    variant: 'v2',
    auth: 'project',
    summary: 'List messages',
    params: MessagesParams,
    query: pageQuery({ maxLimit: 100, defaultLimit: 20 }).extend({ run_id: z.string().max(maxIdLetters).optional() }),
    response: listOf(MessageObject),
    handler: ({ caller, params, query }) => messages.list(caller, params.thread_id, query),
  }),
  defineRoute({
    method: 'GET',
    path: '/v1/threads/:thread_id/messages/:message_id',
    variant: 'v2',
    auth: 'project',
    summary: 'Retrieve a message',
    params: MessageParams,
    response: MessageObject,
    handler: ({ caller, params }) => messages.get(caller, params.thread_id, params.message_id),
  }),
  defineRoute({
    method: 'POST',
    path: '/v1/threads/:thread_id/messages/:message_id',
    variant: 'v2',
    auth: 'project',
    summary: 'Modify a message',
    params: MessageParams,
    body: UpdateMessage,
    response: MessageObject,
    handler: ({ caller, params, body }) => messages.update(caller, params.thread_id, params.message_id, body),
  }),
  defineRoute({
    method: 'DELETE',
    path: '/v1/threads/:thread_id/messages/:message_id',
    variant: 'v2',
    auth: 'project',
    summary: 'Delete a message',
    params: MessageParams,
    response: MessageDeleted,
    handler: ({ caller, params }) => messages.delete(caller, params.thread_id, params.message_id),
  }),
]
