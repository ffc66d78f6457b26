// Reads a whole chain and says whether every entry is there and as it was written.
import type { Queries } from '../db/database.ts'
import { beginning, isAsWritten } from './link.ts'
import { type AuditHead, type AuditRow, findHead, newestRows, rowsBetween } from './store.ts'

export type ChainReport =
  /** `hash` is that of the newest entry: whoever keeps it elsewhere can tell later that nothing before it changed. */
  | { intact: true; entries: number; hash: string }
  /** `entries` are as they were written; the one after them is not. */
  | { intact: false; entries: number; brokenAt: number; problem: ChainProblem }

/** What was done to an entry: since it was written, or instead of writing it. */
export type ChainProblem = 'changed' | 'removed' | 'added'

/** Something else to hold against the entries, a page at a time. Tells the first that is not as it should be. */
export type AlsoCheck = (rows: readonly AuditRow[]) => Promise<{ seq: number; problem: ChainProblem } | undefined>

const pageSize = 1_000

/** Entries may be added meanwhile: it ends where the chain ended when it began. */
export async function verifyChain(
  queries: Queries,
  chain: string,
  also: AlsoCheck = async () => undefined,
): Promise<ChainReport> {
  const head = (await findHead(queries, chain)) ?? beginning
  let at = beginning
  while (at.seq < head.seq) {
    const rows = await rowsBetween(queries, chain, at.seq, Math.min(at.seq + pageSize, head.seq))
    const found = firstBroken(rows, at) ?? (await also(rows))
    if (found !== undefined) return broken(found.seq, found.problem)
    const last = rows.at(-1)
    if (last === undefined) return broken(at.seq + 1, 'removed')
    at = last
  }
  if (at.hash !== head.hash) return broken(head.seq, 'changed')
  if (await hasMore(queries, chain)) return broken(head.seq + 1, 'added')
  return { intact: true, entries: head.seq, hash: head.hash }
}

const broken = (brokenAt: number, problem: ChainProblem): ChainReport => ({
  intact: false,
  entries: brokenAt - 1,
  brokenAt,
  problem,
})

function firstBroken(rows: readonly AuditRow[], before: AuditHead) {
  let at = before
  for (const row of rows) {
    if (row.seq !== at.seq + 1) return { seq: at.seq + 1, problem: 'removed' as const }
    if (!isAsWritten(row, at)) return { seq: row.seq, problem: 'changed' as const }
    at = row
  }
  return undefined
}

/** Whether there are entries past the head. The head is read last: it moves together with what is written. */
async function hasMore(queries: Queries, chain: string): Promise<boolean> {
  const [newest] = await newestRows(queries, chain, { limit: 1, offset: 0 })
  const head = (await findHead(queries, chain)) ?? beginning
  return newest !== undefined && newest.seq > head.seq
}
