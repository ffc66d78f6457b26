// Heartbeats, and the events they bring to the main session, as they are shown.
import { z } from 'zod'
import { Moment } from '../schema.ts'

export const HeartbeatStatus = z.object({
  dueAt: Moment.nullable(),
  /** By an operator, and not begun yet. */
  isWanted: z.boolean(),
  isRunning: z.boolean(),
  failures: z.int(),
  openEvents: z.int(),
})

export const Beat = z.object({
  id: z.string(),
  reason: z.string(),
  trust: z.enum(['operator', 'external']),
  outcome: z.string().nullable(),
  detail: z.string().nullable(),
  reply: z.string().nullable(),
  messageId: z.string().nullable(),
  startedAt: Moment,
  endedAt: Moment.nullable(),
})

export const MainEvent = z.object({
  id: z.string(),
  state: z.enum(['open', 'shown', 'consumed']),
  text: z.string(),
  source: z.string(),
  trust: z.enum(['operator', 'external']),
  mode: z.enum(['now', 'next-heartbeat']),
  deliveryId: z.string().nullable(),
  createdAt: Moment,
})
