// The build cache over HTTP.
import { z } from 'zod'
import { defineRoute } from '../../callers.ts'
import { filters } from '../query/schema.ts'
import { BuildCachePruned } from './schema.ts'
import type { BuildCache } from './service.ts'

export const buildRoutes = (cache: BuildCache) => [
  defineRoute({
    method: 'POST',
    path: '/build/prune',
    auth: 'anyone',
    summary: 'Delete the build cache',
    query: z.object({ filters }),
    response: BuildCachePruned,
    handler: ({ query }) => cache.prune(query.filters),
  }),
]
