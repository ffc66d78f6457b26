// The processes of a container over HTTP.
import { defineRoute } from '../../../callers.ts'
import { TopParams, TopProcesses, TopQuery } from './schema.ts'
import type { Top } from './service.ts'

export const topRoutes = (top: Top) => [
  defineRoute({
    method: 'GET',
    path: '/containers/:id/top',
    auth: 'anyone',
    summary: 'List the processes of a container',
    params: TopParams,
    query: TopQuery,
    response: TopProcesses,
    handler: ({ params, query }) => top.list(params.id, query.ps_args),
  }),
]
