import type { Route } from '@atoll/kernel/http/route'
import { z } from 'zod'
import { defineRoute, type EngineCallers } from '../../../callers.ts'
import { flagOn } from '../../query/schema.ts'
import * as schema from './schema.ts'
import { type CommitParts, commit } from './service.ts'

const text = z.string().default('')

export const commitRoutes = (parts: CommitParts): Route<EngineCallers>[] => [
  defineRoute({
    method: 'POST',
    path: '/commit',
    auth: 'anyone',
    summary: 'Make an image of a container',
    query: z.object({
      container: text,
      repo: text,
      tag: text,
      comment: text,
      author: text,
      pause: flagOn,
      changes: z
        .union([z.string(), z.array(z.string())])
        .optional()
        .transform((value) => (value === undefined ? [] : [value].flat())),
    }),
    body: schema.CommitBody,
    response: schema.CommitAnswer,
    status: 201,
    handler: async ({ query, body }) => ({ Id: await commit(parts, query, body) }),
  }),
]
