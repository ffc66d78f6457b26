import type { Queries, Tx } from '@atoll/kernel/db/database'

export interface AuditRow {
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

declare module '@atoll/kernel/db/database' {
  interface Tables {
    cluster_audit: AuditRow
    cluster_audit_head: AuditHead & { name: string }
  }
}

const headName = 'head'

export const findHead = (queries: Queries): Promise<AuditHead | undefined> =>
  queries.selectFrom('cluster_audit_head').select(['seq', 'hash']).where('name', '=', headName).executeTakeFirst()

export async function appendRow(tx: Tx, row: AuditRow): Promise<void> {
  await tx.insertInto('cluster_audit').values(row).execute()
  const { seq, hash } = row
  if (seq === 1) await tx.insertInto('cluster_audit_head').values({ name: headName, seq, hash }).execute()
  else await tx.updateTable('cluster_audit_head').set({ seq, hash }).where('name', '=', headName).execute()
}

export const rowsAfter = (queries: Queries, seq: number, limit: number): Promise<AuditRow[]> =>
  queries.selectFrom('cluster_audit').selectAll().where('seq', '>', seq).orderBy('seq').limit(limit).execute()

export const newestRows = (queries: Queries, { limit, offset }: { limit: number; offset: number }) =>
  queries.selectFrom('cluster_audit').selectAll().orderBy('seq', 'desc').limit(limit).offset(offset).execute()
