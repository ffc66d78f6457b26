import { bytes } from '@atoll/kernel/http/reply'
import type { Route } from '@atoll/kernel/http/route'
import { defineRoute, type EngineCallers } from '../../../callers.ts'
import * as schema from './schema.ts'
import { type ExportParts, exportOf } from './service.ts'

export const exportRoutes = (parts: ExportParts): Route<EngineCallers>[] => [
  defineRoute({
    method: 'GET',
    path: '/containers/:id/export',
    auth: 'anyone',
    summary: 'The root file system as a tar',
    params: schema.ContainerName,
    response: 'bytes',
    handler: async ({ params }) =>
      bytes(await exportOf(parts, params.id), { 'content-type': 'application/octet-stream' }),
  }),
]
