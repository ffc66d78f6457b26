// Deliveries as they are shown.
import { z } from 'zod'
import { type DeliveryRecord, deliveryStates } from '../../ports.ts'
import { Limit, Moment, shownTime, shownTimeOrNull } from '../schema.ts'

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

export const DeliveryDetail = DeliverySummary.extend({
  trust: z.enum(['operator', 'external']),
  action: z.looseObject({}).nullable(),
  outcome: z.looseObject({}).nullable(),
  headers: z.record(z.string(), z.string()),
  body: z.string().nullable(),
})
export type DeliveryDetail = z.infer<typeof DeliveryDetail>

export function deliverySummary(record: DeliveryRecord): DeliverySummary {
  const { id, state, path, mapping, sender, action, attempts, duplicates, error, replayOf } = record
  const agent = action?.kind === 'agent' ? action : undefined
  return {
    ...{ id, state, path, mapping, sender, kind: action?.kind ?? null },
    ...{ name: agent?.name ?? null, sessionKey: agent?.sessionKey ?? null },
    ...{ attempts, duplicates, error, replayOf },
    receivedAt: shownTime(record.receivedAt),
    startedAt: shownTimeOrNull(record.startedAt),
    endedAt: shownTimeOrNull(record.endedAt),
  }
}

export const deliveryDetail = (record: DeliveryRecord): DeliveryDetail => ({
  ...deliverySummary(record),
  trust: record.trust,
  action: record.action === null ? null : { ...record.action },
  outcome: record.outcome === null ? null : { ...record.outcome },
  headers: record.headers,
  body: record.body,
})
