// An entry of the audit log as it is chained and shown.
import type { Actor, Origin } from '../identity/actor.ts'
import type { AuditType, Change } from './change.ts'

interface EntryUser {
  id: string
  email: string
}

interface EntryOrigin {
  ip_address?: string
  user_agent?: string
}

type EntryKeyOwner = { type: 'user'; user: EntryUser } | { type: 'service_account'; service_account: { id: string } }

export type EntryActor =
  | { type: 'api_key'; api_key: { id: string } & EntryKeyOwner & EntryOrigin } // AST-261
  | { type: 'session'; session: { user?: EntryUser } & EntryOrigin } // AST-262
  | { type: 'system' }

export interface AuditLogEntry {
  id: string
  type: AuditType
  effective_at: number
  project?: { id: string; name: string }
  actor: EntryActor
  /** The details stand in the property named after the type. AST-258 */
  [details: string]: unknown
}

/** What the entry needs to say and the change does not know. */
export interface Surroundings {
  id: string
  effectiveAt: number
  /** Of the user who acts; empty where it is not known. */
  email: string
  projectName: string
}

export function entryOf(by: Actor, change: Change, around: Surroundings): AuditLogEntry {
  const { type, projectId, details } = change
  return {
    id: around.id,
    type,
    effective_at: around.effectiveAt,
    ...(projectId === undefined ? {} : { project: { id: projectId, name: around.projectName } }),
    actor: actorIn(by, around.email),
    [type]: details,
  }
}

function actorIn(by: Actor, email: string): EntryActor {
  if (by.type === 'system') return { type: 'system' }
  const origin = originIn(by)
  if (by.type === 'session') {
    return {
      type: 'session',
      session: { ...(by.userId === null ? {} : { user: { id: by.userId, email } }), ...origin },
    }
  }
  return { type: 'api_key', api_key: { id: by.keyId, ...ownerIn(by.owner, email), ...origin } }
}

const ownerIn = (owner: (Actor & { type: 'api_key' })['owner'], email: string): EntryKeyOwner =>
  owner.type === 'user'
    ? { type: 'user', user: { id: owner.userId, email } }
    : { type: 'service_account', service_account: { id: owner.serviceAccountId } }

const originIn = ({ address, userAgent }: Origin): EntryOrigin => ({
  ...(address === null ? {} : { ip_address: address }),
  ...(userAgent === null ? {} : { user_agent: userAgent }),
})
