import type { Queries, Tx } from '../db/database.ts'

export interface AuditRow {
  chain: string
  seq: number
  /** Canonical JSON. */
  entry: string
  /** Hash of the entry before. */
  previous: string
  hash: string
}

export interface AuditHead {
  seq: number
  hash: string
}

declare module '../db/database.ts' {
  interface Tables {
    audit_entries: AuditRow
    audit_heads: AuditHead & { chain: string }
  }
}

export const findHead = (queries: Queries, chain: string): Promise<AuditHead | undefined> =>
  queries.selectFrom('audit_heads').select(['seq', 'hash']).where('chain', '=', chain).executeTakeFirst()

/** The head goes first: that is where PostgreSQL sees that two write at once, and asks one of them to try again. */
export async function appendRow(tx: Tx, row: AuditRow): Promise<void> {
  const { chain, seq, hash } = row
  await tx
    .insertInto('audit_heads')
    .values({ chain, seq, hash })
    .onConflict((conflict) => conflict.column('chain').doUpdateSet({ seq, hash }))
    .execute()
  await tx.insertInto('audit_entries').values(row).execute()
}

export const rowsBetween = (queries: Queries, chain: string, after: number, upTo: number): Promise<AuditRow[]> =>
  queries
    .selectFrom('audit_entries')
    .selectAll()
    .where('chain', '=', chain)
    .where('seq', '>', after)
    .where('seq', '<=', upTo)
    .orderBy('seq')
    .execute()

export const newestRows = (
  queries: Queries,
  chain: string,
  { limit, offset }: { limit: number; offset: number },
): Promise<AuditRow[]> =>
  queries
    .selectFrom('audit_entries')
    .selectAll()
    .where('chain', '=', chain)
    .orderBy('seq', 'desc')
    .limit(limit)
    .offset(offset)
    .execute()

export const hashAt = async (queries: Queries, chain: string, seq: number): Promise<string | undefined> => {
  const row = await queries
    .selectFrom('audit_entries')
    .select('hash')
    .where('chain', '=', chain)
    .where('seq', '=', seq)
    .executeTakeFirst()
  return row?.hash
}

/** Of everything that left a trace: entries, or only a head. */
export async function chainNames(queries: Queries): Promise<string[]> {
  const rows = await queries
    .selectFrom('audit_entries')
    .select('chain')
    .union(queries.selectFrom('audit_heads').select('chain'))
    .execute()
  return rows.map(({ chain }) => chain).sort()
}
