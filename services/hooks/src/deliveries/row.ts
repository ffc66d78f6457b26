// The rows of deliveries, and what is shown of them.
import type { Action, Trust } from '../actions.ts'
import type { DeliveryState } from '../delivery-states.ts'
import type { DeliveryRecord } from '../ports.ts'

export interface DeliveryRow {
  /** Sorted as text, ids are in the order of arrival. */
  id: string
  state: DeliveryState
  path: string
  mapping: string | null
  sender: string
  trust: Trust
  /** JSON. */
  action: string | null
  session_key: string | null
  /** JSON. */
  headers: string
  body: string | null
  /** Digest of the body: another body is not the same request. Empty without a key and a nonce. */
  fingerprint: string
  /** What the sender calls it, with the sender and the path. A second one is not accepted. */
  dedupe_key: string | null
  /** What was signed once. */
  nonce: string | null
  attempts: number
  duplicates: number
  error: string | null
  /** JSON. */
  outcome: string | null
  received_at: number
  started_at: number | null
  ended_at: number | null
  replay_of: string | null
}

export interface EventRow {
  delivery_id: string
  seq: number
  type: string
  at: number
  /** JSON. */
  detail: string
}

declare module '@atoll/kernel/db/database' {
  interface Tables {
    hooks_deliveries: DeliveryRow
    hooks_delivery_events: EventRow
    hooks_pauses: { mapping: string; since: number }
  }
}

export const actionOf = (row: Pick<DeliveryRow, 'action'>): Action | null =>
  row.action === null ? null : JSON.parse(row.action)

export const deliveryRecord = (row: DeliveryRow): DeliveryRecord => ({
  id: row.id,
  state: row.state,
  path: row.path,
  mapping: row.mapping,
  sender: row.sender,
  trust: row.trust,
  action: actionOf(row),
  headers: JSON.parse(row.headers),
  body: row.body,
  attempts: row.attempts,
  duplicates: row.duplicates,
  error: row.error,
  outcome: row.outcome === null ? null : JSON.parse(row.outcome),
  receivedAt: row.received_at,
  startedAt: row.started_at,
  endedAt: row.ended_at,
  replayOf: row.replay_of,
})
