// Adds many deliveries at once.
import type { Database, Queries, Tx } from '@atoll/kernel/db/database'
import { statementText, valuesOf } from '@atoll/kernel/db/statement-text'
import { CompiledQuery, sql } from 'kysely'
import type { DeliveryRow } from './row.ts'

type Kind = Database['kind']

/** The rest is about runs, and there was none yet. */
const deliveryColumns = [
  ...(['id', 'state', 'path', 'mapping', 'sender', 'trust', 'action', 'session_key', 'headers'] as const),
  ...(['body', 'fingerprint', 'dedupe_key', 'nonce', 'received_at', 'ended_at', 'replay_of'] as const),
] as const satisfies readonly (keyof DeliveryRow)[]

export type NewDeliveryRow = Pick<DeliveryRow, (typeof deliveryColumns)[number]>

const blank = Object.fromEntries(deliveryColumns.map((column) => [column, ''])) as unknown as NewDeliveryRow
const none = sql.lit(0)

const inserting = (queries: Queries, size: number, row: Omit<NewDeliveryRow, 'dedupe_key' | 'nonce'>) =>
  queries
    .insertInto('hooks_deliveries')
    .values(Array.from({ length: size }, () => ({ ...row, attempts: none, duplicates: none })))

/** Returns the ids of those that are new: a row with the same key, or signed once before, is left out. */
export async function insertDeliveries(tx: Tx, kind: Kind, rows: readonly NewDeliveryRow[]): Promise<Set<string>> {
  const text = statementText(`${kind} deliveries ${rows.length}`, () =>
    inserting(tx, rows.length, blank)
      .onConflict((conflict) => conflict.doNothing())
      .returning('id'),
  )
  const added = await tx.executeQuery<{ id: string }>(CompiledQuery.raw(text, valuesOf(rows, deliveryColumns)))
  return new Set(added.rows.map(({ id }) => id))
}

const { dedupe_key: _key, nonce: _nonce, ...blankNew } = blank
const newColumns = deliveryColumns.filter((column) => column in blankNew)

/** Of those that nobody can have sent before: without a key, and not signed once. */
export async function insertNewDeliveries(tx: Tx, kind: Kind, rows: readonly NewDeliveryRow[]): Promise<void> {
  const text = statementText(`${kind} new deliveries ${rows.length}`, () => inserting(tx, rows.length, blankNew))
  await tx.executeQuery(CompiledQuery.raw(text, valuesOf(rows, newColumns)))
}
