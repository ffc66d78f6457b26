// Messages and their files.
import { pageQuery } from '@atoll/kernel/http/query'
import { defineRoute } from '../../callers.ts'
import { listOf } from '../../conventions/lists.ts'
import { MessageParams, MessagesParams, UpdateMessage } from '../threads/messages/schema.ts'
import { CreateMessageV1, MessageFileObject, MessageFileParams, MessageV1 } from './message-schema.ts'
import type { MessagesV1 } from './messages.ts'
import { Id } from './schema.ts'

const common = { variant: 'v1', auth: 'project' } as const
const messagesPath = '/v1/threads/:thread_id/messages'
const messagePath = `${messagesPath}/:message_id`
const page = pageQuery({ maxLimit: 100, defaultLimit: 20 })

export const messageRoutesV1 = (messages: MessagesV1) => [
  defineRoute({
    ...common,
    method: 'POST',
    path: messagesPath,
    summary: 'Create a message',
    params: MessagesParams,
    body: CreateMessageV1,
    takesLargeJson: true,
    response: MessageV1,
    handler: ({ caller, params, body }) => messages.create(caller, params.thread_id, body),
  }),
  defineRoute({
    ...common,
    method: 'GET',
    path: messagesPath,
    summary: 'List messages',
    params: MessagesParams,
    query: page.extend({ run_id: Id.optional() }),
    response: listOf(MessageV1),
    handler: ({ caller, params, query }) => messages.list(caller, params.thread_id, query),
  }),
  defineRoute({
    ...common,
    method: 'GET',
    path: messagePath,
    summary: 'Retrieve a message',
    params: MessageParams,
    response: MessageV1,
    handler: ({ caller, params }) => messages.get(caller, params.thread_id, params.message_id),
  }),
  defineRoute({
    ...common,
    method: 'POST',
    path: messagePath,
    summary: 'Modify a message',
    params: MessageParams,
    body: UpdateMessage,
    response: MessageV1,
    handler: ({ caller, params, body }) => messages.update(caller, params.thread_id, params.message_id, body),
  }),
  defineRoute({
    ...common,
    method: 'GET',
    path: `${messagePath}/files`,
    summary: 'List the files of a message',
    params: MessageParams,
    query: page,
    response: listOf(MessageFileObject),
    handler: ({ caller, params, query }) => messages.listFiles(caller, params.thread_id, params.message_id, query),
  }),
  defineRoute({
    ...common,
    method: 'GET',
    path: `${messagePath}/files/:file_id`,
    summary: 'Retrieve a file of a message',
    params: MessageFileParams,
    response: MessageFileObject,
    handler: ({ caller, params: { thread_id, message_id, file_id } }) =>
      messages.getFile(caller, thread_id, message_id, file_id),
  }),
]
