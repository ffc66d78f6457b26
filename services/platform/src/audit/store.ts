import type { Queries, Tx } from '@atoll/kernel/db/database'
import type { Generated } from 'kysely'
import { chainOf } from './chain-name.ts'
import type { StoredLogRow } from './log-row.ts'
import type { Place, Surroundings } from './surroundings.ts'

declare module '@atoll/kernel/db/database' {
  interface Tables {
    /** Entries up to and with `indexed_up_to` are in the indexes; those after it are few. */
    audit_activations: { organization_id: string; activated_at: number; indexed_up_to: Generated<number> }
    audit_logs: StoredLogRow
  }
}

export const findActivation = (queries: Queries, organizationId: string) =>
  queries
    .selectFrom('audit_activations')
    .select(['activated_at', 'indexed_up_to'])
    .where('organization_id', '=', organizationId)
    .executeTakeFirst()

export const activatedOrganizations = (queries: Queries) =>
  queries.selectFrom('audit_activations').select('organization_id').execute()

export async function insertActivation(tx: Tx, organizationId: string, activatedAt: number): Promise<void> {
  await tx
    .insertInto('audit_activations')
    .values({ organization_id: organizationId, activated_at: activatedAt })
    .execute()
}

/** Undefined while the organization has no audit log. */
export async function findSurroundings(
  tx: Tx,
  { organizationId, userId, projectId }: Place,
): Promise<Surroundings | undefined> {
  const found = await tx
    .selectFrom('audit_activations as activation')
    .leftJoin('users as person', (join) => join.on('person.id', '=', userId))
    .leftJoin('projects as place', (join) => join.on('place.id', '=', projectId))
    .leftJoin('audit_heads as head', (join) => join.on('head.chain', '=', chainOf(organizationId)))
    .where('activation.organization_id', '=', organizationId)
    .select(['person.email as email', 'place.name as projectName', 'head.seq as seq', 'head.hash as hash'])
    .executeTakeFirst()
  if (!found) return undefined
  const { seq, hash, ...names } = found
  return { ...names, head: seq === null || hash === null ? undefined : { seq, hash } }
}

/** Every entry up to there is written already: they come in order. */
export async function indexLogs(tx: Tx, organizationId: string, upTo: number): Promise<void> {
  const { indexed_up_to: done = upTo } = (await findActivation(tx, organizationId)) ?? {}
  if (done >= upTo) return
  await tx
    .updateTable('audit_logs')
    .set({ indexed: 1 })
    .where('organization_id', '=', organizationId)
    .where('seq', '>', done)
    .where('seq', '<=', upTo)
    .execute()
  await tx
    .updateTable('audit_activations')
    .set({ indexed_up_to: upTo })
    .where('organization_id', '=', organizationId)
    .execute()
}

export const logsBetween = (queries: Queries, organizationId: string, from: number, to: number) =>
  queries
    .selectFrom('audit_logs')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('seq', '>=', from)
    .where('seq', '<=', to)
    .orderBy('seq')
    .execute()

export const newestLog = (queries: Queries, organizationId: string) =>
  queries
    .selectFrom('audit_logs')
    .select('seq')
    .where('organization_id', '=', organizationId)
    .orderBy('seq', 'desc')
    .limit(1)
    .executeTakeFirst()
