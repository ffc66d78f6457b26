// Whether an organization's audit log is what was written: the chain itself, and the rows by which entries are found.
import type { AuditRow } from '@atoll/kernel/audit/store'
import { type AlsoCheck, type ChainReport, verifyChain } from '@atoll/kernel/audit/verify'
import type { Queries } from '@atoll/kernel/db/database'
import { chainOf } from './chain-name.ts'
import type { AuditLogEntry } from './entry.ts'
import { type AuditLogRow, logRowOf } from './log-row.ts'
import { findActivation, logsBetween, newestLog } from './store.ts'

/** `deactivated`: it was switched off past Atoll, which has no way to do that. */
export type LogReport = ChainReport | { intact: false; entries: number; problem: 'deactivated' }

export async function verifyLog(queries: Queries, organizationId: string): Promise<LogReport> {
  const report = await verifyChain(queries, chainOf(organizationId), sameRows(queries, organizationId))
  if (!report.intact) return report
  const { entries } = report
  if (!(await findActivation(queries, organizationId))) return { intact: false, entries, problem: 'deactivated' }
  // Activation is the first entry.
  if (entries === 0) return { intact: false, entries, brokenAt: 1, problem: 'removed' }
  const newest = await newestLog(queries, organizationId)
  const now = await verifyEnd(queries, organizationId, entries)
  if (newest !== undefined && newest.seq > now) {
    return { intact: false, entries: now, brokenAt: now + 1, problem: 'removed' }
  }
  return report
}

/** Entries written meanwhile are in the chain as well. */
async function verifyEnd(queries: Queries, organizationId: string, atLeast: number): Promise<number> {
  const head = await queries
    .selectFrom('audit_heads')
    .select('seq')
    .where('chain', '=', chainOf(organizationId))
    .executeTakeFirst()
  return Math.max(atLeast, head?.seq ?? 0)
}

function sameRows(queries: Queries, organizationId: string): AlsoCheck {
  return async (rows) => {
    const before = await indexedUpTo(queries, organizationId)
    const first = rows[0]?.seq ?? 0
    const found = await logsBetween(queries, organizationId, first, rows.at(-1)?.seq ?? 0)
    const now = await indexedUpTo(queries, organizationId)
    const bySeq = new Map(found.map((row) => [row.seq, row]))
    for (const row of rows) {
      const listed = bySeq.get(row.seq)
      if (listed === undefined) return { seq: row.seq, problem: 'removed' }
      const isFound = listed.indexed === 1 ? row.seq <= now : listed.indexed === 0 && row.seq > before
      if (!isFound || !isSame(listed, expectedRow(organizationId, row))) return { seq: row.seq, problem: 'changed' }
    }
    return undefined
  }
}

/** Entries before it are looked for in the indexes alone: one that is not there would be hidden. */
const indexedUpTo = async (queries: Queries, organizationId: string): Promise<number> =>
  (await findActivation(queries, organizationId))?.indexed_up_to ?? 0

const expectedRow = (organizationId: string, { seq, entry }: AuditRow): AuditLogRow =>
  logRowOf(organizationId, seq, JSON.parse(entry) as AuditLogEntry)

const isSame = (one: AuditLogRow, other: AuditLogRow): boolean =>
  (Object.keys(other) as (keyof AuditLogRow)[]).every((column) => one[column] === other[column])
