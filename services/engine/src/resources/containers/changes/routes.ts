import type { Route } from '@atoll/kernel/http/route'
import { z } from 'zod'
import { defineRoute, type EngineCallers } from '../../../callers.ts'
import * as schema from './schema.ts'
import { type ChangesParts, changesOf } from './service.ts'

export const changesRoutes = (parts: ChangesParts): Route<EngineCallers>[] => [
  defineRoute({
    method: 'GET',
    path: '/containers/:id/changes',
    auth: 'anyone',
    summary: 'What differs from the image',
    params: schema.ContainerName,
    response: z.array(schema.Change).nullable(),
    handler: ({ params }) => changesOf(parts, params.id),
  }),
]
