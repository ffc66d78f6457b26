import { z } from 'zod'
import { defineRoute } from '../../callers.ts'
import { EventObject, LogQuery } from './schema.ts'
import type { EventLog } from './service.ts'

export const logRoutes = (events: EventLog) => [
  defineRoute({
    method: 'GET',
    path: '/v1/logs',
    auth: 'view_logged_events',
    summary: 'List what happened in the cluster',
    query: LogQuery,
    response: z.array(EventObject),
    handler: ({ query: { stime, etime, ...page } }) => events.list({ since: stime, until: etime, ...page }),
  }),
]
