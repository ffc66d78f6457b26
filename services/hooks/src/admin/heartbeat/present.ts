// Heartbeats and events in the shape that they are shown in.
import type { z } from 'zod'
import type { AgentStatus } from '../../agent/agent.ts'
import type { EventRow } from '../../agent/events/store.ts'
import type { TurnRow } from '../../agent/turns/store.ts'
import { shownTime, shownTimeOrNull } from '../schema.ts'
import type { Beat, HeartbeatStatus, MainEvent } from './schema.ts'

export const heartbeatStatus = ({ heartbeat, openEvents }: AgentStatus): z.infer<typeof HeartbeatStatus> => ({
  dueAt: shownTimeOrNull(heartbeat.due_at),
  isWanted: heartbeat.wanted_at !== null,
  isRunning: heartbeat.turn_id !== null,
  failures: Number(heartbeat.failures),
  openEvents,
})

export const shownBeat = (row: TurnRow): z.infer<typeof Beat> => ({
  ...{ id: row.id, reason: row.reason, trust: row.trust, outcome: row.outcome, detail: row.detail, reply: row.reply },
  messageId: row.outbox_id,
  startedAt: shownTime(row.created_at),
  endedAt: shownTimeOrNull(row.ended_at),
})

export const shownEvent = (row: EventRow): z.infer<typeof MainEvent> => ({
  ...{ id: row.id, state: row.state, text: row.text, source: row.source, trust: row.trust, mode: row.mode },
  deliveryId: row.delivery_id,
  createdAt: shownTime(row.created_at),
})
