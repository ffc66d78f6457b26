// Messages of the outbox as they are asked for and shown.
import { z } from 'zod'
import { channelKinds } from '../../actions.ts'
import { Limit, Moment } from '../schema.ts'

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
export type Message = z.infer<typeof Message>
