// An entry of the audit log in words.
import type { AuditLogObject } from '../../api/types.ts'

const types = [
  'login.succeeded',
  'login.failed',
  'logout.succeeded',
  'logout.failed',
  'api_key.created',
  'api_key.updated',
  'api_key.deleted',
  'service_account.created',
  'service_account.updated',
  'service_account.deleted',
  'project.created',
  'project.updated',
  'project.archived',
  'user.added',
  'user.updated',
  'user.deleted',
  'invite.sent',
  'invite.accepted',
  'invite.deleted',
  'rate_limit.updated',
  'rate_limit.deleted',
  'organization.updated',
  'engine.requested',
  'engine.refused',
]

export const eventTypes: Record<string, string> = {
  all: 'Everything',
  ...Object.fromEntries(types.map((type) => [type, type])),
}

export function actorText(actor: AuditLogObject['actor']): string {
  if (actor.type === 'system') return 'Atoll itself'
  if (actor.type === 'session') {
    const { user, ip_address } = actor.session
    return [user?.email ?? 'somebody', 'in the console', ip_address].filter(Boolean).join(' · ')
  }
  const { api_key } = actor
  const who = api_key.type === 'user' ? api_key.user.email : api_key.service_account.id
  return [who, `by key ${api_key.id}`, api_key.ip_address].filter(Boolean).join(' · ')
}

/** They stand in a property named after the type. */
export const detailsOf = (entry: AuditLogObject): unknown => entry[entry.type] ?? {}

/** What was done to what, where the type does not say it: `stop container 0123abc`. */
export function objectText(entry: AuditLogObject): string {
  const { action, object, id } = detailsOf(entry) as { action?: string; object?: string; id?: string }
  return action === undefined ? '' : [action, object, id?.slice(0, shownLetters)].filter(Boolean).join(' ')
}

/** As programs shorten ids of containers. */
const shownLetters = 12
