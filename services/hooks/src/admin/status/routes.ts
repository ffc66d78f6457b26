import { channelKinds } from '../../actions.ts'
import { defineRoute } from '../../callers.ts'
import { heartbeatStatus } from '../heartbeat/present.ts'
import type { AdminParts } from '../parts.ts'
import { Status } from './schema.ts'

export const statusRoutes = ({ desk, agent, outbox }: Pick<AdminParts, 'desk' | 'agent' | 'outbox'>) => [
  defineRoute({
    method: 'GET',
    path: '/hooks-admin/status',
    auth: 'admin',
    summary: 'Show how much waits, runs and has ended',
    response: Status,
    handler: async () => ({
      deliveries: await desk.counts(),
      paused: await desk.paused(),
      heartbeat: heartbeatStatus(await agent.status()),
      outbox: await outbox.counts(),
      channels: channelKinds.filter((kind) => outbox.isConfigured(kind)),
    }),
  }),
]
