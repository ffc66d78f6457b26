import type { ZodObject, z } from 'zod'
import { defineRoute } from '../../../callers.ts'
import type { CountedKind } from './kinds.ts'
import { CallsQuery, CompletionsQuery, ImagesQuery, StoredQuery, type UsageQuery } from './query.ts'
import { pageOfBuckets, usageResults } from './schema.ts'
import type { Usage } from './service.ts'

export const usageRoutes = (usage: Usage) => {
  const counted = <Query extends ZodObject>(kind: CountedKind, what: string, query: Query) =>
    defineRoute({
      method: 'GET',
      path: `/v1/organization/usage/${kind}`,
      auth: 'admin',
      summary: `Usage of ${what}`,
      query,
      response: pageOfBuckets(usageResults[kind]),
      handler: (exchange) =>
        usage.counted<z.output<(typeof usageResults)[typeof kind]>>(exchange, kind, exchange.query as UsageQuery),
    })
  return [
    counted('completions', 'chats and completions', CompletionsQuery),
    counted('embeddings', 'embeddings', CallsQuery),
    counted('moderations', 'moderations', CallsQuery),
    counted('images', 'images', ImagesQuery),
    counted('audio_speeches', 'speech made from text', CallsQuery),
    counted('audio_transcriptions', 'text made from speech', CallsQuery),
    counted('code_interpreter_sessions', 'sessions of the code interpreter', StoredQuery),
    defineRoute({
      method: 'GET',
      path: '/v1/organization/usage/vector_stores',
      auth: 'admin',
      summary: 'Bytes held by vector stores',
      query: StoredQuery,
      response: pageOfBuckets(usageResults.vector_stores),
      handler: (exchange) => usage.stored(exchange, exchange.query),
    }),
  ]
}
