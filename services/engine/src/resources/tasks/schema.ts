// Tasks: the single runs that a service consists of.
import { z } from 'zod'
import { GenericResource, PortConfig, TaskSpec } from '../services/schema.ts'
import { ObjectVersion } from '../swarm/schema.ts'

const whole = z.number().int()

/** In the order in which a task goes through them; a task never goes back. */
export const taskStates = [
  'new',
  'allocated',
  'pending',
  'assigned',
  'accepted',
  'preparing',
  'ready',
  'starting',
  'running',
  'complete',
  'shutdown',
  'failed',
  'rejected',
  'remove',
  'orphaned',
] as const
export const TaskState = z.enum(taskStates)
export type TaskState = z.output<typeof TaskState>

export const TaskStatus = z.object({
  Timestamp: z.string(),
  State: TaskState,
  Message: z.string(),
  Err: z.string().optional(),
  ContainerStatus: z.object({ ContainerID: z.string(), PID: whole, ExitCode: whole }).optional(),
  PortStatus: z.object({ Ports: z.array(PortConfig).optional() }),
})
export type TaskStatus = z.output<typeof TaskStatus>

export const Task = z.object({
  ID: z.string(),
  Version: ObjectVersion,
  CreatedAt: z.string(),
  UpdatedAt: z.string(),
  Labels: z.record(z.string(), z.string()),
  Spec: TaskSpec,
  ServiceID: z.string(),
  /** Of a replica; absent for those of one node each. */
  Slot: whole.optional(),
  NodeID: z.string().optional(),
  Status: TaskStatus,
  DesiredState: TaskState,
  JobIteration: ObjectVersion.optional(),
  /** What it has of its node's. */
  GenericResources: z.array(GenericResource).optional(),
})
export type Task = z.output<typeof Task>

export const TaskId = z.object({ id: z.string() })
