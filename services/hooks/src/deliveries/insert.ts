// Adds many deliveries at once. The texts of the statements are made once for a few sizes: to build one for each
// request would take longer than to run it.
import type { Database, Queries, Tx } from '@atoll/kernel/db/database'
import { type Compilable, CompiledQuery, sql } from 'kysely'
import type { DeliveryRow, LaneRow } from './row.ts'

type Kind = Database['kind']

const sizes = [64, 32, 16, 8, 4, 2, 1] as const

const deliveryColumns = [
  ...(['id', 'state', 'path', 'mapping', 'sender', 'trust', 'action', 'session_key', 'lane', 'headers'] as const),
  ...(['body', 'fingerprint', 'dedupe_key', 'nonce', 'attempts', 'duplicates', 'run_token', 'error'] as const),
  ...(['outcome', 'received_at', 'started_at', 'ended_at', 'replay_of'] as const),
] as const satisfies readonly (keyof DeliveryRow)[]

const laneColumns = ['lane', 'due_at', 'lease_token', 'parked_by', 'arrivals'] as const

const compiled = new Map<string, string>()

function textOf(name: string, build: () => Compilable): string {
  const known = compiled.get(name)
  if (known !== undefined) return known
  const text = build().compile().sql
  compiled.set(name, text)
  return text
}

const blank = <Row>(columns: readonly (keyof Row)[]): Row =>
  Object.fromEntries(columns.map((column) => [column, ''])) as Row

function* chunks<Row>(rows: readonly Row[]): Generator<Row[]> {
  let at = 0
  for (const size of sizes) {
    for (; rows.length - at >= size; at += size) yield rows.slice(at, at + size)
  }
}

/** The writer thread takes them all in one go; a connection to PostgreSQL takes one at a time. */
export async function runAll<Part, Result>(
  kind: Kind,
  parts: Iterable<Part>,
  run: (part: Part) => Promise<Result>,
): Promise<Result[]> {
  if (kind === 'sqlite') return Promise.all(Array.from(parts, run))
  const results: Result[] = []
  for (const part of parts) results.push(await run(part))
  return results
}

const valuesOf = <Row>(rows: readonly Row[], columns: readonly (keyof Row)[]): unknown[] =>
  rows.flatMap((row) => columns.map((column) => row[column]))

const deliveriesText = (queries: Queries, size: number) => () =>
  queries
    .insertInto('hooks_deliveries')
    .values(Array.from({ length: size }, () => blank<DeliveryRow>(deliveryColumns)))
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')

/** Returns the ids of those that are new: a row with the same key, or signed once before, is left out. */
export async function insertDeliveries(tx: Tx, kind: Kind, rows: readonly DeliveryRow[]): Promise<Set<string>> {
  const results = await runAll(kind, chunks(rows), (chunk) => {
    const text = textOf(`${kind} deliveries ${chunk.length}`, deliveriesText(tx, chunk.length))
    return tx.executeQuery<{ id: string }>(CompiledQuery.raw(text, valuesOf(chunk, deliveryColumns)))
  })
  return new Set(results.flatMap(({ rows: inserted }) => inserted.map(({ id }) => id)))
}

const lanesText = (queries: Queries, size: number) => () =>
  queries
    .insertInto('hooks_lanes')
    .values(Array.from({ length: size }, () => blank<LaneRow>(laneColumns)))
    .onConflict((conflict) => conflict.column('lane').doUpdateSet({ arrivals: sql<number>`hooks_lanes.arrivals + 1` }))

/** Lanes that have something to do now; those that exist go on as they are. In order, so that two nodes cannot block each other. */
export async function openLanes(tx: Tx, kind: Kind, lanes: Iterable<string>, now: number): Promise<void> {
  const rows = [...new Set(lanes)].sort().map((lane) => ({ lane, ...newLane, due_at: now }))
  await runAll(kind, chunks(rows), (chunk) => {
    const text = textOf(`${kind} lanes ${chunk.length}`, lanesText(tx, chunk.length))
    return tx.executeQuery(CompiledQuery.raw(text, valuesOf(chunk, laneColumns)))
  })
}

const newLane = { lease_token: null, parked_by: null, arrivals: 1 }
