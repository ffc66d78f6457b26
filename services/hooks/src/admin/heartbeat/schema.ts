// Heartbeats, and the events they bring to the main session, as they are shown.
import { z } from 'zod'
import type { AgentStatus } from '../../agent/agent.ts'
import type { EventRow } from '../../agent/events/store.ts'
import type { TurnRow } from '../../agent/turns/store.ts'
import { Moment, shownTime, shownTimeOrNull } from '../schema.ts'

export const HeartbeatStatus = z.object({
  dueAt: Moment.nullable(),
  /** By an operator, and not begun yet. */
  isWanted: z.boolean(),
  isRunning: z.boolean(),
  failures: z.int(),
  openEvents: z.int(),
})

export const heartbeatStatus = ({ heartbeat, openEvents }: AgentStatus): z.infer<typeof HeartbeatStatus> => ({
  dueAt: shownTimeOrNull(heartbeat.due_at),
  isWanted: heartbeat.wanted_at !== null,
  isRunning: heartbeat.turn_id !== null,
  failures: Number(heartbeat.failures),
  openEvents,
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

export const shownBeat = (row: TurnRow): z.infer<typeof Beat> => ({
  ...{ id: row.id, reason: row.reason, trust: row.trust, outcome: row.outcome, detail: row.detail, reply: row.reply },
  messageId: row.outbox_id,
  startedAt: shownTime(row.created_at),
  endedAt: shownTimeOrNull(row.ended_at),
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

export const shownEvent = (row: EventRow): z.infer<typeof MainEvent> => ({
  ...{ id: row.id, state: row.state, text: row.text, source: row.source, trust: row.trust, mode: row.mode },
  deliveryId: row.delivery_id,
  createdAt: shownTime(row.created_at),
})
