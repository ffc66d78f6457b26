// Messages of the outbox as they are shown.
import { z } from 'zod'
import { channelKinds } from '../../actions.ts'
import type { OutboxRow } from '../../channels/store.ts'
import { Limit, Moment, shownTime, shownTimeOrNull } from '../schema.ts'

const messageStates = ['pending', 'sending', 'sent', 'dead'] as const

export const MessageQuery = z.object({
  state: z.enum(messageStates).optional(),
  /** The id of the delivery that it answers. */
  origin: z.string().min(1).max(200).optional(),
  after: z.string().min(1).max(200).optional(),
  limit: Limit,
})

export const Message = z.object({
  id: z.string(),
  state: z.enum(messageStates),
  channel: z.enum(channelKinds),
  to: z.string(),
  text: z.string(),
  origin: z.string(),
  partsSent: z.int(),
  attempts: z.int(),
  error: z.string().nullable(),
  createdAt: Moment,
  dueAt: Moment.nullable(),
  endedAt: Moment.nullable(),
})

export const shownMessage = (row: OutboxRow): z.infer<typeof Message> => ({
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
