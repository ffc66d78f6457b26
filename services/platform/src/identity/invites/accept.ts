// An invited person joins, inside a transaction.
import { unixSeconds } from '@atoll/kernel/clock/clock'
import type { Queries, Tx } from '@atoll/kernel/db/database'
import type { Change } from '../../audit/change.ts'
import { createdKey } from '../keys/created.ts'
import { type IssuedKey, issueKey } from '../keys/issue.ts'
import type { IdentityParts } from '../parts.ts'
import { problems } from '../problems.ts'
import { joinProject } from '../project-members/membership.ts'
import { updateProjectMemberRole } from '../project-members/store.ts'
import { requireDefaultProject } from '../projects/project.ts'
import { findProject } from '../projects/store.ts'
import { addMember, type OrganizationUser } from '../users/membership.ts'
import { type Invite, type InvitedProject, inviteOf } from './invite.ts'
import { findSecret } from './kept-secret.ts'
import { findAnyInvite, markAccepted } from './store.ts'
import { readToken } from './token.ts'

export const signingSecret = 'invites'

export interface Acceptance {
  token: string
  /** Absent: the address up to its @. Somebody known already keeps the name they have. */
  name?: string | undefined
  withKey: boolean
  address: string | null
  userAgent: string | null
}

export interface Joined {
  organizationId: string
  user: OrganizationUser
  /** Of the Default project, when asked for. Shown this once. */
  key?: IssuedKey
}

type OpenInvite = Invite & { organizationId: string }

export async function acceptInvite(tx: Tx, parts: IdentityParts, acceptance: Acceptance): Promise<Joined> {
  const invite = await requireOpenInvite(tx, parts, acceptance.token)
  const { organizationId, email, role } = invite
  const name = acceptance.name ?? email.slice(0, email.lastIndexOf('@'))
  const user = await addMember(tx, parts, organizationId, { name, email, role })
  await markAccepted(tx, invite.id, unixSeconds(parts.clock))
  const { address, userAgent } = acceptance
  const record = (change: Change) =>
    parts.audit.record(tx, { type: 'session', userId: user.id, address, userAgent }, organizationId, change)
  await record({ type: 'invite.accepted', details: { id: invite.id } })
  await record({ type: 'user.added', details: { id: user.id, data: { role } } })
  for (const { id: projectId, role } of await joinProjects(tx, parts, invite, user.id)) {
    await record({ type: 'user.added', projectId, details: { id: user.id, data: { role } } })
  }
  if (!acceptance.withKey) return { organizationId, user }
  // Of this organization only: whoever was handed the token must not reach others that the person is in.
  const { id: projectId } = await requireDefaultProject(tx, organizationId)
  const key = await issueKey(tx, parts, { kind: 'project', organizationId, projectId, userId: user.id }, 'First key')
  await record({ type: 'api_key.created', projectId, details: createdKey(key.id, 'project') })
  return { organizationId, user, key }
}

/** A token that is wrong, used, too old or of a deleted invite: the same refusal, which tells nothing more. */
export async function requireOpenInvite(
  queries: Queries,
  { clock }: IdentityParts,
  token: string,
): Promise<OpenInvite> {
  const secret = await findSecret(queries, signingSecret)
  const content = secret && readToken(secret, token)
  const row = content && (await findAnyInvite(queries, content.inviteId))
  if (!row) throw problems.invalidInvite()
  const invite = inviteOf(row, unixSeconds(clock))
  if (invite.status !== 'pending' || invite.expiresAt !== content.expiresAt) throw problems.invalidInvite()
  return { ...invite, organizationId: row.organization_id }
}

/** Tells which it joined: one that was archived in the meantime is left out. */
async function joinProjects(
  tx: Tx,
  parts: IdentityParts,
  { organizationId, projects }: OpenInvite,
  userId: string,
): Promise<InvitedProject[]> {
  const joined: InvitedProject[] = []
  for (const { id, role } of projects) {
    const project = await findProject(tx, organizationId, id)
    if (project?.status !== 'active') continue
    if (project.is_default === 1) await updateProjectMemberRole(tx, id, userId, role)
    else await joinProject(tx, parts, id, userId, role)
    joined.push({ id, role })
  }
  return joined
}
