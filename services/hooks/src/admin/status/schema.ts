import { z } from 'zod'
import { channelKinds } from '../../actions.ts'
import { deliveryStates } from '../../delivery-states.ts'
import { HeartbeatStatus } from '../heartbeat/schema.ts'

export const Status = z.object({
  deliveries: z.record(z.enum(deliveryStates), z.int()),
  paused: z.object({ all: z.boolean(), mappings: z.array(z.string()) }),
  heartbeat: HeartbeatStatus,
  outbox: z.object({ pending: z.int(), sending: z.int(), sent: z.int(), dead: z.int() }),
  /** Those that are configured. */
  channels: z.array(z.enum(channelKinds)),
})
export type Status = z.infer<typeof Status>
