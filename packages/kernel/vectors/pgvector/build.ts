// Brings the table of a collection up to its rows, and its index into being: on a connection of its own, by one node of
// a group at a time. Killed half-way it is gone on with.
import { sql } from 'kysely'
import type { Queries } from '../../db/database.ts'
import { openDatabase } from '../../db/open.ts'
import type { Log } from '../../telemetry/log.ts'
import { type CollectionRow, numberOf, selectCollections, selectVectorsAfter } from '../rows.ts'
import type { NearTable, TableState } from './near-table.ts'

/** An index of millions takes long; what it works on nobody waits for. */
const longestStatementSeconds = 3_600
/** About a millisecond of this thread's time. */
const rowsPerPage = 128
/** Beside the collection's id; any number, the same in every node. */
const lockFamily = sql.lit(7_213_666)
const lockOf = ({ id }: CollectionRow) => sql.lit(id)

export interface Building {
  url: string
  log: Log
  collection: CollectionRow
  table: NearTable
  toleratedRemoved(chunks: number): number
  isStopped(): boolean
  /** Who works on it in the database, to be cancelled. */
  began(processId: number): void
}

/** Undefined: another node is at it. */
export async function build(building: Building): Promise<TableState | undefined> {
  const { url, log, collection } = building
  const target = { kind: 'postgres', url, poolSize: 1, statementSeconds: longestStatementSeconds } as const
  const db = await openDatabase(target, { log })
  try {
    // The lock belongs to the connection, so that it goes with a node that dies.
    return await db.queries.connection().execute(async (connection) => {
      const { rows } = await sql<{ id: number; isMine: boolean }>`
        select pg_backend_pid() as id, pg_try_advisory_lock(${lockFamily}, ${lockOf(collection)}) as "isMine"`.execute(
        connection,
      )
      const [{ id, isMine } = { id: 0, isMine: false }] = rows
      if (!isMine) return undefined
      building.began(id)
      try {
        return await buildAlone(connection, building)
      } finally {
        await sql`select pg_advisory_unlock(${lockFamily}, ${lockOf(collection)})`.execute(connection)
      }
    })
  } finally {
    await db.close()
  }
}

async function buildAlone(queries: Queries, building: Building): Promise<TableState | undefined> {
  const { table, collection, isStopped } = building
  const before = await table.state(queries)
  if (before === undefined) await table.create(queries)
  let { last, rows } = await fill(queries, building, before ?? { last: 0, rows: 0 })
  if (!before?.isIndexed && !isStopped()) {
    await table.index(queries)
    // What was added while it was made.
    ;({ last, rows } = await fill(queries, building, { last, rows }))
  }
  if (rows - collection.chunks > building.toleratedRemoved(collection.chunks)) {
    while (!isStopped() && (await table.removeSome(queries))) {}
  }
  const after = await table.state(queries)
  return after && { ...after, last: Math.max(last, after.last) }
}

/** Up to what is committed by then; the number that it is complete to. */
async function fill(
  queries: Queries,
  { table, collection, isStopped }: Building,
  from: Pick<TableState, 'last' | 'rows'>,
): Promise<Pick<TableState, 'last' | 'rows'>> {
  let { last, rows } = from
  while (!isStopped()) {
    const [now] = await selectCollections(queries, [collection.name])
    // Removed, or its vectors were replaced: this table is of no use any more.
    if (now?.key !== collection.key) break
    const page = await selectVectorsAfter(queries, now, last, rowsPerPage)
    if (page.length > 0) await table.add(queries, page)
    rows += page.length
    last = page.length === rowsPerPage ? numberOf(page.at(-1)?.id ?? 0) : now.last_number
    if (page.length < rowsPerPage) break
  }
  return { last, rows }
}
