// Messages of the outbox in the shape that they are shown in.
import type { OutboxRow } from '../../channels/store.ts'
import { shownTime, shownTimeOrNull } from '../schema.ts'
import type { Message } from './schema.ts'

export const shownMessage = (row: OutboxRow): Message => ({
  id: row.id,
  state: row.state,
  channel: row.channel,
  to: row.recipient,
  text: row.text,
  origin: row.origin,
  partsSent: Number(row.parts_sent),
  attempts: Number(row.attempts),
  error: row.last_error,
  createdAt: shownTime(row.created_at),
  dueAt: shownTimeOrNull(row.due_at),
  endedAt: shownTimeOrNull(row.ended_at),
})
