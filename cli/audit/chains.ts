// Every audit chain of a database, and whether each is as it was written.
import { chainNames, hashAt } from '@atoll/kernel/audit/store'
import { type ChainProblem, verifyChain } from '@atoll/kernel/audit/verify'
import type { Queries } from '@atoll/kernel/db/database'
import { chainOf, organizationOf } from '@atoll/platform/audit/chain-name'
import { activatedOrganizations } from '@atoll/platform/audit/store'
import { verifyLog } from '@atoll/platform/audit/verify'

export interface ChainState {
  chain: string
  intact: boolean
  /** So many, from the first on, are as they were written. */
  entries: number
  /** Of the newest, where the chain is intact. */
  hash?: string
  /** Number of the first entry that is not as it was written. */
  broken_at?: number
  problem?: ChainProblem | 'deactivated' | 'rewritten'
}

export interface AuditedParts {
  /** Whether organizations can have audit logs in this database. */
  hasPlatform: boolean
}

export async function verifyAll(queries: Queries, { hasPlatform }: AuditedParts): Promise<ChainState[]> {
  const named = await chainNames(queries)
  const activated = hasPlatform ? await activatedOrganizations(queries) : []
  const chains = new Set([...named, ...activated.map(({ organization_id }) => chainOf(organization_id))])
  const states: ChainState[] = []
  for (const chain of [...chains].sort()) states.push(await stateOf(queries, chain))
  return states
}

async function stateOf(queries: Queries, chain: string): Promise<ChainState> {
  const organizationId = organizationOf(chain)
  const report =
    organizationId === undefined ? await verifyChain(queries, chain) : await verifyLog(queries, organizationId)
  const { intact, entries } = report
  if (report.intact) return { chain, intact, entries, hash: report.hash }
  return {
    chain,
    intact,
    entries,
    problem: report.problem,
    ...('brokenAt' in report ? { broken_at: report.brokenAt } : {}),
  }
}

/** What was there when `earlier` was written must be there still, whatever the chain says of itself now. */
export async function holdAgainst(
  queries: Queries,
  now: readonly ChainState[],
  earlier: readonly ChainState[],
): Promise<ChainState[]> {
  const states = new Map(now.map((state) => [state.chain, state]))
  for (const { chain, entries, hash } of earlier) {
    if (hash === undefined || entries === 0 || states.get(chain)?.intact === false) continue
    if ((await hashAt(queries, chain, entries)) === hash) continue
    states.set(chain, { chain, intact: false, entries: 0, problem: 'rewritten' })
  }
  return [...states.values()].sort((one, other) => (one.chain < other.chain ? -1 : 1))
}
