// Taking jobs that are ready, so that no two nodes get the same one. The only statement with two spellings.
import type { Database } from '../db/database.ts'
import type { ClaimedJob, ClaimOrder } from './claim-order.ts'
import { claimOnPostgres } from './claim-postgres.ts'
import { claimOnSqlite } from './claim-sqlite.ts'

export async function claimJobs(db: Database, order: ClaimOrder): Promise<ClaimedJob[]> {
  const claim = db.kind === 'sqlite' ? claimOnSqlite : claimOnPostgres
  const rows = await claim(db.queries, order)
  const { token, leaseUntil } = order
  // An update returns its rows in no order.
  return rows.map((row) => ({ ...row, token, leaseUntil })).sort((one, other) => (one.id < other.id ? -1 : 1))
}
