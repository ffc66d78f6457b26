import { bytes } from '@atoll/kernel/http/reply'
import { defineRoute } from '../../callers.ts'
import { answerBody } from './answer-body.ts'
import { CreateEmbeddings, EmbeddingList, maxInputTokens } from './schema.ts'
import type { Embeddings } from './service.ts'

export const embeddingRoutes = (embeddings: Embeddings) => [
  defineRoute({
    method: 'POST',
    path: '/v1/embeddings',
    auth: 'project',
    summary: 'Create embeddings',
    body: CreateEmbeddings,
    takesLargeJson: true,
    maxJsonNumbers: maxInputTokens,
    response: EmbeddingList,
    handler: async ({ caller, body, signal }) => {
      const { headers, ...answer } = await embeddings.create(caller, body, { signal })
      return bytes(answerBody(answer, body.encoding_format), { 'content-type': 'application/json', ...headers })
    },
  }),
]
