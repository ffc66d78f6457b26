import type { AuditRow } from '@atoll/kernel/audit/store'
import type { Queries, Tx } from '@atoll/kernel/db/database'
import { sql } from 'kysely'
import { chainOf } from './chain-name.ts'
import type { AuditLogRow } from './log-row.ts'
import type { Place, Surroundings } from './surroundings.ts'

declare module '@atoll/kernel/db/database' {
  interface Tables {
    audit_activations: { organization_id: string; activated_at: number }
    audit_logs: AuditLogRow
  }
}

export const findActivation = (queries: Queries, organizationId: string) =>
  queries
    .selectFrom('audit_activations')
    .select('activated_at')
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

/** Whether the entry was written: only where the audit log is active and its surroundings are those. */
export async function insertEntry(
  tx: Tx,
  row: AuditRow & AuditLogRow,
  { organizationId, userId, projectId }: Place,
  { head, email, projectName }: Surroundings,
): Promise<boolean> {
  const columns = Object.keys(row) as (keyof typeof row)[]
  const values = columns.map((name) => (isNumber(row[name]) ? sql`cast(${row[name]} as bigint)` : sql`${row[name]}`))
  const written = await sql`
    insert into audit_log_entries (${sql.raw(columns.join(', '))})
    select ${sql.join(values)}
    where exists (select 1 from audit_activations where organization_id = ${organizationId})
      and (select seq || ' ' || hash from audit_heads where chain = ${row.chain})
        is not distinct from ${head === undefined ? null : `${head.seq} ${head.hash}`}
      and (select email from users where id = ${userId}) is not distinct from ${email}
      and (select name from projects where id = ${projectId}) is not distinct from ${projectName}
    returning seq`.execute(tx)
  return written.rows.length === 1
}

const isNumber = (value: unknown): value is number => typeof value === 'number'

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
