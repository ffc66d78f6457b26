import type { Queries, Tx } from '@atoll/kernel/db/database'
import { type PageQuery, selectPage } from '@atoll/kernel/db/page'
import { sql } from 'kysely'
import type { BatchEndpoint, BatchStatus } from './schema.ts'

export interface BatchRow {
  id: string
  position: number
  project_id: string
  /** In whose name its lines are run, as JSON. */
  caller: string
  endpoint: BatchEndpoint
  input_file_id: string
  status: BatchStatus
  errors: string | null
  output_file_id: string | null
  error_file_id: string | null
  metadata: string | null
  total: number
  /** The counts once it has ended; until then the results are counted. */
  completed: number
  failed: number
  /** Chunks of lines that have not ended. */
  open_chunks: number
  created_at: number
  expires_at: number
  in_progress_at: number | null
  finalizing_at: number | null
  completed_at: number | null
  failed_at: number | null
  expired_at: number | null
  cancelling_at: number | null
  cancelled_at: number | null
}

/** Where in the input file a request stands. */
export interface BatchLineRow {
  batch_id: string
  /** From 1. */
  line: number
  custom_id: string
  start: number
  bytes: number
}

export type Outcome = 'completed' | 'failed'

export interface BatchResultRow {
  batch_id: string
  line: number
  outcome: Outcome
  /** Among the results: that of its `batch_req_` id, which is made when the line finishes. */
  position: number
  /** The line of the output or error file. */
  text: string
}

declare module '@atoll/kernel/db/database' {
  interface Tables {
    batches: BatchRow
    batch_lines: BatchLineRow
    batch_results: BatchResultRow
  }
}

export const insertBatch = (tx: Tx, row: BatchRow) => tx.insertInto('batches').values(row).execute()

export const findBatch = (queries: Queries, id: string) =>
  queries.selectFrom('batches').selectAll().where('id', '=', id).executeTakeFirst()

export const listBatches = (queries: Queries, projectId: string, page: PageQuery) =>
  selectPage(queries.selectFrom('batches').selectAll().where('project_id', '=', projectId), page)

/** Changes a batch that is still in one of these states; the row, or undefined when it is not. */
export const changeBatch = (queries: Queries, id: string, from: BatchStatus[], change: Partial<BatchRow>) =>
  queries
    .updateTable('batches')
    .set(change)
    .where('id', '=', id)
    .where('status', 'in', from)
    .returningAll()
    .executeTakeFirst()

/** Counts one chunk out; how many are left. */
export async function endChunk(tx: Tx, id: string): Promise<number> {
  const row = await tx
    .updateTable('batches')
    .set((eb) => ({ open_chunks: eb('open_chunks', '-', 1) }))
    .where('id', '=', id)
    .returning('open_chunks')
    .executeTakeFirst()
  return row?.open_chunks ?? 0
}

export const overdueBatches = (queries: Queries, now: number) =>
  queries
    .selectFrom('batches')
    .select(['id', 'status'])
    .where('status', 'in', ['validating', 'in_progress'])
    .where('expires_at', '<=', now)
    .execute()

/** Of the two below. */
export const rowsAtOnce = 400

export const insertLines = (queries: Queries, rows: BatchLineRow[]) =>
  queries.insertInto('batch_lines').values(rows).execute()

export const linesBetween = (queries: Queries, id: string, from: number, to: number) =>
  queries
    .selectFrom('batch_lines')
    .selectAll()
    .where('batch_id', '=', id)
    .where('line', '>=', from)
    .where('line', '<=', to)
    .orderBy('line')
    .execute()

/** Recorded once: a second result of the same line changes nothing. */
export const insertResults = (queries: Queries, rows: BatchResultRow[]) =>
  queries
    .insertInto('batch_results')
    .values(rows)
    .onConflict((conflict) => conflict.columns(['batch_id', 'line']).doNothing())
    .execute()

/** Lines without a result. */
export const openLines = (queries: Queries, id: string) =>
  queries
    .selectFrom('batch_lines')
    .leftJoin('batch_results', (join) =>
      join
        .onRef('batch_results.batch_id', '=', 'batch_lines.batch_id')
        .onRef('batch_results.line', '=', 'batch_lines.line'),
    )
    .select(['batch_lines.line', 'batch_lines.custom_id'])
    .where('batch_lines.batch_id', '=', id)
    .where('batch_results.line', 'is', null)
    .orderBy('batch_lines.line')
    .execute()

export async function recordedLines(queries: Queries, id: string, from: number, to: number): Promise<Set<number>> {
  const rows = await queries
    .selectFrom('batch_results')
    .select('line')
    .where('batch_id', '=', id)
    .where('line', '>=', from)
    .where('line', '<=', to)
    .execute()
  return new Set(rows.map(({ line }) => line))
}

export async function countResults(queries: Queries, id: string): Promise<Record<Outcome, number>> {
  const rows = await queries
    .selectFrom('batch_results')
    .select((eb) => ['outcome', eb.fn.countAll<number>().as('count')])
    .where('batch_id', '=', id)
    .groupBy('outcome')
    .execute()
  const of = (outcome: Outcome): number => Number(rows.find((row) => row.outcome === outcome)?.count ?? 0)
  return { completed: of('completed'), failed: of('failed') }
}

export interface ResultsQuery {
  id: string
  outcome: Outcome
  /** As they finished, or as in the input. */
  order: 'finished' | 'input'
}

/** Some at a time. */
export async function* readResults(
  queries: Queries,
  { id, outcome, order }: ResultsQuery,
): AsyncGenerator<BatchResultRow> {
  const pageRows = 500
  let last: BatchResultRow | undefined
  do {
    let page = queries.selectFrom('batch_results').selectAll().where('batch_id', '=', id).where('outcome', '=', outcome)
    if (last !== undefined)
      page = page.where(order === 'input' ? sql<boolean>`line > ${last.line}` : finishedAfter(last))
    if (order === 'finished') page = page.orderBy('position')
    const rows = await page.orderBy('line').limit(pageRows).execute()
    yield* rows
    last = rows.length < pageRows ? undefined : rows.at(-1)
  } while (last !== undefined)
}

const finishedAfter = ({ position, line }: BatchResultRow) =>
  sql<boolean>`(position >= ${position} and (position > ${position} or line > ${line}))`

export const deleteResults = (tx: Tx, id: string, limit: number) => {
  const some = tx.selectFrom('batch_results').select('line').where('batch_id', '=', id).limit(limit)
  return tx.deleteFrom('batch_results').where('batch_id', '=', id).where('line', 'in', some).returning('line').execute()
}

export const deleteLines = (tx: Tx, id: string, limit: number) => {
  const some = tx.selectFrom('batch_lines').select('line').where('batch_id', '=', id).limit(limit)
  return tx.deleteFrom('batch_lines').where('batch_id', '=', id).where('line', 'in', some).returning('line').execute()
}
