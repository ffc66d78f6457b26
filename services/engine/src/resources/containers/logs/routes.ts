// Reading logs over HTTP.
import { bytes } from '@atoll/kernel/http/reply'
import { defineRoute } from '../../../callers.ts'
import { streamType } from '../../../streams/stream-type.ts'
import { LogsQuery } from './logs-query.ts'
import { LogsParams } from './schema.ts'
import type { Logs } from './service.ts'

export const logsRoutes = (logs: Logs) => [
  defineRoute({
    method: 'GET',
    path: '/containers/:id/logs',
    auth: 'anyone',
    summary: 'Read the logs of a container',
    params: LogsParams,
    query: LogsQuery,
    response: 'bytes',
    handler: ({ params, query, ways }) => {
      const { tty, output } = logs.open(params.id, query)
      return bytes(output, { 'content-type': streamType(tty, ways) })
    },
  }),
]
