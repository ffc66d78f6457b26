import { integerParamOr, pageQuery } from '@atoll/kernel/http/query'
import { events, json } from '@atoll/kernel/http/reply'
import { z } from 'zod'
import { defineRoute } from '../../../callers.ts'
import { listOf } from '../../../conventions/lists.ts'
import { ChatCompletion, ChatCompletionDeleted, StoredChatCompletion, StoredMessage } from './answer/schema.ts'
import { Metadata } from './metadata/schema.ts'
import { ChatCompletionParams, CreateChatCompletion, UpdateChatCompletion } from './schema.ts'
import type { ChatCompletions } from './service.ts'
import type { StoredCompletions } from './stored-completions.ts'

const maxLimit = 100
const defaultLimit = 20

const order = z.enum(['asc', 'desc']).default('asc')

export const chatCompletionRoutes = (completions: ChatCompletions, stored: StoredCompletions) => [
  defineRoute({
    method: 'POST',
    path: '/v1/chat/completions',
    auth: 'project',
    summary: 'Create a chat completion',
    body: CreateChatCompletion,
    takesLargeJson: true,
    response: ChatCompletion,
    handler: async ({ caller, body, signal }) => {
      if (body.stream === true) {
        const { frames, headers } = await completions.stream(caller, body, { signal })
        return events(frames, headers)
      }
      const { completion, headers } = await completions.create(caller, body, { signal })
      return json(200, completion, headers)
    },
  }),
  ...storedRoutes(stored),
]

const storedRoutes = (stored: StoredCompletions) => [
  defineRoute({
    method: 'GET',
    path: '/v1/chat/completions',
    auth: 'project',
    summary: 'List stored chat completions',
    query: pageQuery({ maxLimit, defaultLimit }).extend({
      order,
      model: z.string().min(1).max(256).optional(),
      metadata: Metadata.optional(),
    }),
    response: listOf(StoredChatCompletion),
    handler: ({ caller, query: { model, metadata, ...page } }) => stored.list(caller, { model, metadata }, page),
  }),
  defineRoute({
    method: 'GET',
    path: '/v1/chat/completions/:completion_id',
    auth: 'project',
    summary: 'Retrieve a stored chat completion',
    params: ChatCompletionParams,
    response: StoredChatCompletion,
    handler: ({ caller, params }) => stored.get(caller, params.completion_id),
  }),
  defineRoute({
    method: 'POST',
    path: '/v1/chat/completions/:completion_id',
    auth: 'project',
    summary: 'Change the metadata of a stored chat completion',
    params: ChatCompletionParams,
    body: UpdateChatCompletion,
    response: StoredChatCompletion,
    handler: ({ caller, params, body }) => stored.update(caller, params.completion_id, body.metadata ?? {}),
  }),
  defineRoute({
    method: 'DELETE',
    path: '/v1/chat/completions/:completion_id',
    auth: 'project',
    summary: 'Delete a stored chat completion',
    params: ChatCompletionParams,
    response: ChatCompletionDeleted,
    handler: async ({ caller, params: { completion_id } }) => {
      await stored.delete(caller, completion_id)
      return { object: 'chat.completion.deleted' as const, id: completion_id, deleted: true as const }
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/v1/chat/completions/:completion_id/messages',
    auth: 'project',
    summary: 'List the messages of a stored chat completion',
    params: ChatCompletionParams,
    query: z.strictObject({
      after: z.string().min(1).max(256).optional(),
      limit: integerParamOr(defaultLimit, { min: 1, max: maxLimit }),
      order,
    }),
    response: listOf(StoredMessage),
    handler: ({ caller, params, query }) => stored.messages(caller, params.completion_id, query),
  }),
]
