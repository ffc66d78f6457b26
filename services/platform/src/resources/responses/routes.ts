import { booleanParam, integerParam, pageQuery, stringsParam } from '@atoll/kernel/http/query'
import { events, json } from '@atoll/kernel/http/reply'
import { z } from 'zod'
import { defineRoute } from '../../callers.ts'
import { listOf } from '../../conventions/lists.ts'
import { tellPollInterval } from '../../conventions/poll-after.ts'
import { responseErrors } from '../../errors/responses.ts'
import { ShownItem } from '../conversations/items/schema.ts'
import {
  CountInputTokens,
  CreateResponse,
  Includable,
  InputTokens,
  ResponseDeleted,
  ResponseObject,
  ResponseParams,
} from './schema.ts'
import type { Responses } from './service.ts'
import { frames } from './stream/frames.ts'

const maxLimit = 100
const defaultLimit = 20
const path = '/v1/responses/:response_id'

export const responseRoutes = (responses: Responses) => [
  defineRoute({
    method: 'POST',
    path: '/v1/responses',
    auth: 'project',
    summary: 'Create a response',
    body: CreateResponse,
    takesLargeJson: true,
    response: ResponseObject,
    handler: async ({ caller, body, signal }) => {
      const shape = { isPadded: body.stream_options?.include_obfuscation }
      if (body.background === true) {
        if (body.stream !== true) return responses.createBackground(caller, body)
        return events(frames(await responses.createBackgroundStream(caller, body, signal), shape))
      }
      if (body.stream === true) {
        const { body: stream, headers } = await responses.createStream(caller, body, signal)
        return events(frames(stream, shape), headers)
      }
      const { body: response, headers } = await responses.create(caller, body, { signal })
      return json(200, response, headers)
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/v1/responses/input_tokens',
    auth: 'project',
    summary: 'Count the tokens that a response would read',
    body: CountInputTokens,
    takesLargeJson: true,
    response: InputTokens,
    handler: async ({ caller, body, signal }) => ({
      object: 'response.input_tokens' as const,
      input_tokens: await responses.countInputTokens(caller, body, signal),
    }),
  }),
  defineRoute({
    method: 'POST',
    path: '/v1/responses/compact',
    auth: 'project',
    summary: 'Compact a history: refused',
    body: z.looseObject({}),
    response: ResponseObject,
    handler: () => {
      throw responseErrors.notCompacted()
    },
  }),
  ...keptRoutes(responses),
]

const keptRoutes = (responses: Responses) => [
  defineRoute({
    method: 'GET',
    path,
    auth: 'project',
    summary: 'Retrieve a response',
    params: ResponseParams,
    query: z.strictObject({
      include: stringsParam(Includable),
      stream: booleanParam(),
      starting_after: integerParam({ min: 0, max: Number.MAX_SAFE_INTEGER }),
      include_obfuscation: booleanParam(),
    }),
    response: ResponseObject,
    handler: async ({ caller, params: { response_id: id }, query, signal, setHeader }) => {
      if (query.stream === true) {
        const stream = await responses.follow(caller, id, query.starting_after ?? -1, signal)
        return events(frames(stream, { isPadded: query.include_obfuscation }))
      }
      tellPollInterval(setHeader)
      return responses.get(caller, id, query.include ?? [])
    },
  }),
  defineRoute({
    method: 'POST',
    path: `${path}/cancel`,
    auth: 'project',
    summary: 'Cancel a response in the background',
    params: ResponseParams,
    response: ResponseObject,
    handler: ({ caller, params }) => responses.cancel(caller, params.response_id),
  }),
  defineRoute({
    method: 'DELETE',
    path,
    auth: 'project',
    summary: 'Delete a response',
    params: ResponseParams,
    response: ResponseDeleted,
    handler: async ({ caller, params: { response_id: id } }) => {
      await responses.delete(caller, id)
      return { id, object: 'response' as const, deleted: true as const }
    },
  }),
  defineRoute({
    method: 'GET',
    path: `${path}/input_items`,
    auth: 'project',
    summary: 'List the input items of a response',
    params: ResponseParams,
    query: pageQuery({ maxLimit, defaultLimit }).extend({ include: stringsParam(Includable) }),
    response: listOf(ShownItem),
    handler: ({ caller, params, query }) => responses.inputItems(caller, params.response_id, query),
  }),
]
