// Writes an entry with all that belongs to it, in one statement whose text is made once: it is part of every change.
import type { AuditRow } from '@atoll/kernel/audit/store'
import type { Database, Tx } from '@atoll/kernel/db/database'
import { CompiledQuery } from 'kysely'
import type { AuditLogRow } from './log-row.ts'
import type { Place, Surroundings } from './surroundings.ts'

const numbers = ['seq', 'effective_at'] as const
const texts = [
  'chain',
  'entry',
  'previous',
  'hash',
  'id',
  'organization_id',
  'type',
  'project_id',
  'actor_id',
  'actor_key_id',
  'actor_email',
  'resource_id',
] as const

function statementFor(kind: Database['kind']): string {
  let count = 0
  const value = () => `${kind === 'sqlite' ? '?' : '$'}${++count}`
  return `
    insert into audit_log_entries (${[...numbers, ...texts].join(', ')})
    select ${[...numbers.map(() => `cast(${value()} as bigint)`), ...texts.map(value)].join(', ')}
    where exists (select 1 from audit_activations where organization_id = ${value()})
      and (select seq || ' ' || hash from audit_heads where chain = ${value()}) is not distinct from ${value()}
      and (select email from users where id = ${value()}) is not distinct from ${value()}
      and (select name from projects where id = ${value()}) is not distinct from ${value()}
    returning seq`
}

const statements = { sqlite: statementFor('sqlite'), postgres: statementFor('postgres') }

/** Whether it was written: only where the audit log is active and its surroundings are these. */
export async function insertEntry(
  { kind, tx }: Pick<Database, 'kind'> & { tx: Tx },
  row: AuditRow & AuditLogRow,
  { organizationId, userId, projectId }: Place,
  { head, email, projectName }: Surroundings,
): Promise<boolean> {
  const values = [...numbers, ...texts].map((name) => row[name])
  const known = head === undefined ? null : `${head.seq} ${head.hash}`
  const around = [organizationId, row.chain, known, userId, email, projectId, projectName]
  const written = await tx.executeQuery(CompiledQuery.raw(statements[kind], [...values, ...around]))
  return written.rows.length === 1
}
