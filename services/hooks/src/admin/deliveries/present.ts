// Deliveries in the shape that they are shown in.
import type { DeliveryRecord } from '../../ports.ts'
import { shownTime, shownTimeOrNull } from '../schema.ts'
import type { DeliveryDetail, DeliverySummary } from './schema.ts'

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
