// Taking jobs that are due, so that no two nodes get the same one. The only statement with two spellings.
import type { Database } from '../db/database.ts'
import type { ClaimedJob, ClaimOrder } from './claim-order.ts'
import { claimOnPostgres } from './claim-postgres.ts'
import { claimOnSqlite } from './claim-sqlite.ts'

export async function claimJobs(db: Database, order: ClaimOrder): Promise<ClaimedJob[]> {
  const claim = db.kind === 'sqlite' ? claimOnSqlite : claimOnPostgres
  const rows = await claim(db.queries, order)
  return rows.map((row) => ({ ...row, token: order.token }))
}
