import { z } from 'zod'

export const ActionStatus = z.enum(['pending', 'active', 'completed', 'failed'])
export type ActionStatus = z.output<typeof ActionStatus>

/** What is being done to a shard right now. */
export const PendingOp = z.object({
  op_name: z.string(),
  status_code: z.string().optional(),
  status_description: z.string(),
  progress: z.number().min(0).max(100),
  heartbeat: z.number().optional(),
  last_sample_time: z.number().optional(),
  snapshot: z.unknown().optional(),
})
export type PendingOp = z.output<typeof PendingOp>

/** By shard. */
const PendingOps = z.record(z.string(), PendingOp)

export const ActionObject = z.object({
  action_uid: z.string(),
  name: z.string(),
  object_name: z.string(),
  node_uid: z.string(),
  status: ActionStatus,
  progress: z.number().min(0).max(100),
  state: z.string().optional(),
  heartbeat: z.number(),
  error: z.string().optional(),
  pending_ops: PendingOps,
})
export type ActionObject = z.output<typeof ActionObject>

export const ActionLists = z.object({ actions: z.array(ActionObject), 'state-machines': z.array(ActionObject) })

export const ActionObjectV2 = z.object({
  action_uid: z.string(),
  action_type: z.enum(['task', 'state-machine']),
  name: z.string(),
  node_uid: z.string(),
  status: ActionStatus,
  progress: z.number().min(0).max(100),
  creation_time: z.int(),
  additional_info: z.object({
    description: z.string(),
    object_type: z.string(),
    object_uid: z.string(),
    state: z.string().optional(),
    error: z.string().optional(),
    pending_ops: PendingOps,
  }),
})
export type ActionObjectV2 = z.output<typeof ActionObjectV2>

export const ActionParams = z.object({ uid: z.string() })
