// What an entry can be found by. Always made from the chained entry, so that the two can be held against each other.
import type { Generated } from 'kysely'
import type { AuditLogEntry, EntryActor } from './entry.ts'

export interface AuditLogRow {
  id: string
  organization_id: string
  /** In the chain of the organization. */
  seq: number
  type: string
  effective_at: number
  project_id: string | null
  /** Of the user or the service account. */
  actor_id: string | null
  actor_key_id: string | null
  actor_email: string | null
  /** What was changed. */
  resource_id: string | null
}

/** `indexed` is 1 where the indexes know the entry, 0 among the newest. */
export type StoredLogRow = AuditLogRow & { indexed: Generated<number> }

export function logRowOf(organizationId: string, seq: number, entry: AuditLogEntry): AuditLogRow {
  const details = entry[entry.type] as { id?: unknown } | undefined
  return {
    id: entry.id,
    organization_id: organizationId,
    seq,
    type: entry.type,
    effective_at: entry.effective_at,
    project_id: entry.project?.id ?? null,
    ...actorColumns(entry.actor),
    resource_id: typeof details?.id === 'string' ? details.id : null,
  }
}

function actorColumns(actor: EntryActor) {
  if (actor.type === 'system') return { actor_id: null, actor_key_id: null, actor_email: null }
  const key = actor.type === 'api_key' ? actor.api_key : undefined
  const holder = key ?? (actor.type === 'session' ? actor.session : {})
  const user = 'user' in holder ? holder.user : undefined
  const account = 'service_account' in holder ? holder.service_account : undefined
  return {
    actor_id: user?.id ?? account?.id ?? null,
    actor_key_id: key?.id ?? null,
    actor_email: user?.email.toLowerCase() ?? null,
  }
}
