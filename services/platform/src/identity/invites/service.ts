// Invitations: an address gets a place in the organization once its owner shows the token of the invite.
import { unixSeconds } from '@atoll/kernel/clock/clock'
import type { Queries, Tx } from '@atoll/kernel/db/database'
import type { Page, PageQuery } from '@atoll/kernel/db/page'
import { newObject } from '@atoll/kernel/ids/new-object'
import type { Changes } from '../changes.ts'
import { checkedName, isIdText } from '../names.ts'
import type { IdentityParts } from '../parts.ts'
import { problems } from '../problems.ts'
import { requireActiveProject } from '../projects/project.ts'
import { findMember, findUserByEmail } from '../users/store.ts'
import { type Acceptance, acceptInvite, type Joined, requireOpenInvite, signingSecret } from './accept.ts'
import { type Invite, inviteOf, type NewInvite } from './invite.ts'
import { keptSecret } from './kept-secret.ts'
import { deleteInvite, findInvite, findPendingInvite, type InviteRow, insertInvite, pageOfInvites } from './store.ts'
import { signToken } from './token.ts'

const lifetimeSeconds = 7 * 24 * 60 * 60

/** Sent, with what the invited person has to show. The token is told this once. */
export interface SentInvite extends Invite {
  token: string
}

async function requireInvite(queries: Queries, organizationId: string, id: string): Promise<InviteRow> {
  const row = isIdText(id) ? await findInvite(queries, organizationId, id) : undefined
  if (!row) throw problems.notFound('invite', id)
  return row
}

/** Nobody who is in already, and nobody twice. */
async function requireNewAddress(tx: Tx, organizationId: string, email: string, now: number): Promise<void> {
  const user = await findUserByEmail(tx, email)
  if (user && (await findMember(tx, organizationId, user.id))) throw problems.alreadyMember('organization', email)
  const pending = await findPendingInvite(tx, organizationId, email, now)
  if (pending) throw problems.pendingInvite(email, pending.id)
}

async function send(tx: Tx, parts: IdentityParts, organizationId: string, wanted: NewInvite): Promise<SentInvite> {
  const now = unixSeconds(parts.clock)
  const email = wanted.email.trim().toLowerCase()
  await requireNewAddress(tx, organizationId, email, now)
  for (const { id } of wanted.projects) await requireActiveProject(tx, organizationId, id)
  const object = newObject(parts, 'invite-')
  const row: InviteRow = {
    ...object,
    organization_id: organizationId,
    email,
    role: wanted.role,
    projects: JSON.stringify(wanted.projects.map(({ id, role }) => ({ id, role }))),
    expires_at: object.created_at + lifetimeSeconds,
    accepted_at: null,
  }
  await insertInvite(tx, row)
  const secret = await keptSecret(tx, signingSecret)
  const token = signToken(secret, { inviteId: row.id, expiresAt: row.expires_at })
  return { ...inviteOf(row, now), token }
}

export function invitesService(parts: IdentityParts, changes: Changes) {
  const { queries } = parts.db
  const present = (row: InviteRow): Invite => inviteOf(row, unixSeconds(parts.clock))
  return {
    send: (organizationId: string, wanted: NewInvite): Promise<SentInvite> =>
      changes.run(async (tx, record) => {
        const invite = await send(tx, parts, organizationId, wanted)
        const details = { id: invite.id, data: { email: invite.email, role: invite.role } }
        await record(organizationId, { type: 'invite.sent', details })
        return invite
      }),

    get: async (organizationId: string, id: string): Promise<Invite> =>
      present(await requireInvite(queries, organizationId, id)),

    async list(organizationId: string, query: PageQuery): Promise<Page<Invite>> {
      const page = await pageOfInvites(queries, organizationId, query)
      return { ...page, rows: page.rows.map(present) }
    },

    /** Its token is worth nothing from now on. */
    remove: (organizationId: string, id: string): Promise<void> =>
      changes.run(async (tx, record) => {
        const row = await requireInvite(tx, organizationId, id)
        if (row.accepted_at !== null) throw problems.acceptedInvite(id)
        await deleteInvite(tx, id)
        await record(organizationId, { type: 'invite.deleted', details: { id } })
      }),

    /** On record as the doing of the person who joins, not of whoever these services act for. */
    async accept(acceptance: Acceptance): Promise<Joined> {
      const name = acceptance.name === undefined ? undefined : checkedName(acceptance.name)
      // Anybody may knock: what is refused costs two lookups and no transaction.
      await requireOpenInvite(queries, parts, acceptance.token)
      return changes.run((tx) => acceptInvite(tx, parts, { ...acceptance, name }))
    },
  }
}
