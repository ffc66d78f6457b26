// What a container uses, over HTTP.
import { bytes, json } from '@atoll/kernel/http/reply'
import { z } from 'zod'
import { defineRoute } from '../../../callers.ts'
import { streamItems } from '../../../versions/stream-items.ts'
import { flag, flagOn } from '../../query/schema.ts'
import { StatsParams } from './schema.ts'
import type { StatsReading } from './service.ts'

const route = 'GET /containers/:id/stats'
const asIs = (stats: unknown): unknown => stats

export const statsRoutes = (reading: StatsReading) => [
  defineRoute({
    method: 'GET',
    path: '/containers/:id/stats',
    auth: 'anyone',
    summary: 'Tell what a container uses',
    params: StatsParams,
    query: z.object({ stream: flagOn, 'one-shot': flag }),
    response: 'bytes',
    handler: async ({ params, query, ways, signal }) => {
      const put = streamItems(route, ways) ?? asIs
      if (query.stream) return bytes(reading.stream(params.id, put), { 'content-type': 'application/json' })
      const isOnce = query['one-shot']
      const stats = isOnce ? await reading.now(params.id) : await reading.compared(params.id, signal)
      return json(200, put(stats))
    },
  }),
]
