import { z } from 'zod'
import { defineRoute } from '../../callers.ts'
import type { AdminAgent } from '../parts.ts'
import { Limit } from '../schema.ts'
import { heartbeatStatus, shownBeat, shownEvent } from './present.ts'
import { Beat, HeartbeatStatus, MainEvent } from './schema.ts'

export const heartbeatRoutes = (agent: AdminAgent) => [
  defineRoute({
    method: 'GET',
    path: '/hooks-admin/heartbeat',
    auth: 'admin',
    summary: 'Show when the next heartbeat is due, and what became of the last ones',
    query: z.object({ limit: Limit }),
    response: HeartbeatStatus.extend({ beats: z.array(Beat) }),
    handler: async ({ query: { limit } }) => ({
      ...heartbeatStatus(await agent.status()),
      beats: (await agent.heartbeats(limit)).map(shownBeat),
    }),
  }),
  defineRoute({
    method: 'POST',
    path: '/hooks-admin/heartbeat',
    auth: 'admin',
    summary: 'Have a heartbeat now, as the operator’s own',
    response: z.object({ ok: z.literal(true) }),
    status: 202,
    handler: async () => {
      await agent.requestHeartbeat()
      return { ok: true as const }
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/hooks-admin/system-events',
    auth: 'admin',
    summary: 'List events of the main session, the newest first',
    query: z.object({ limit: Limit }),
    response: z.object({ events: z.array(MainEvent) }),
    handler: async ({ query: { limit } }) => ({ events: (await agent.events(limit)).map(shownEvent) }),
  }),
]
