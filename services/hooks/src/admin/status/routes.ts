import { z } from 'zod'
import { channelKinds } from '../../actions.ts'
import { defineRoute } from '../../callers.ts'
import { deliveryStates } from '../../ports.ts'
import { HeartbeatStatus, heartbeatStatus } from '../heartbeat/schema.ts'
import type { AdminParts } from '../parts.ts'

const Status = z.object({
  deliveries: z.record(z.enum(deliveryStates), z.int()),
  paused: z.object({ all: z.boolean(), mappings: z.array(z.string()) }),
  heartbeat: HeartbeatStatus,
  outbox: z.object({ pending: z.int(), sending: z.int(), sent: z.int(), dead: z.int() }),
  /** Those that are configured. */
  channels: z.array(z.enum(channelKinds)),
})

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
