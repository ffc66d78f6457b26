// Deliveries as they are asked for and shown.
import { z } from 'zod'
import { deliveryStates } from '../../delivery-states.ts'
import { Limit, Moment } from '../schema.ts'

const Name = z.string().min(1).max(500)

export const DeliveryQuery = z.object({
  state: z.enum(deliveryStates).optional(),
  mapping: Name.optional(),
  sessionKey: Name.optional(),
  /** The id of a delivery: the page begins behind it. */
  after: Name.optional(),
  limit: Limit,
  order: z.enum(['asc', 'desc']).default('desc'),
})

/** One line of a list. */
export const DeliverySummary = z.object({
  id: z.string(),
  state: z.enum(deliveryStates),
  path: z.string(),
  mapping: z.string().nullable(),
  sender: z.string(),
  kind: z.enum(['wake', 'agent']).nullable(),
  name: z.string().nullable(),
  sessionKey: z.string().nullable(),
  attempts: z.int(),
  duplicates: z.int(),
  error: z.string().nullable(),
  receivedAt: Moment,
  startedAt: Moment.nullable(),
  endedAt: Moment.nullable(),
  replayOf: z.string().nullable(),
})
export type DeliverySummary = z.infer<typeof DeliverySummary>

const Outcome = z.looseObject({
  summary: z.string().optional(),
  reply: z.string().optional(),
  /** What became of the reply: the message it is, or why there is none. */
  delivery: z.union([z.object({ outboxId: z.string() }), z.object({ suppressed: z.string() })]).optional(),
})

export const DeliveryDetail = DeliverySummary.extend({
  trust: z.enum(['operator', 'external']),
  action: z.looseObject({ kind: z.enum(['wake', 'agent']) }).nullable(),
  outcome: Outcome.nullable(),
  headers: z.record(z.string(), z.string()),
  body: z.string().nullable(),
})
export type DeliveryDetail = z.infer<typeof DeliveryDetail>
