// Invites of an organization, and how an invited person joins.
import type { PageQuery } from '@atoll/kernel/db/page'
import type { RequestHead } from '@atoll/kernel/http/route'
import { actorOf, originOf } from '../../../audit/actor-of.ts'
import { type ListEnvelope, listPage } from '../../../conventions/lists.ts'
import type { Identity } from '../../../identity/identity.ts'
import type { Invite, NewInvite } from '../../../identity/invites/invite.ts'
import type { Administrator } from '../administrator.ts'
import { presentUser } from '../users/service.ts'
import type { AcceptedInvite, AcceptInvite, InviteDeleted, InviteObject, SentInviteObject } from './schema.ts'

const present = (invite: Invite): InviteObject => ({
  object: 'organization.invite',
  id: invite.id,
  email: invite.email,
  role: invite.role,
  status: invite.status,
  invited_at: invite.invitedAt,
  created_at: invite.invitedAt,
  expires_at: invite.expiresAt,
  accepted_at: invite.acceptedAt,
  projects: invite.projects,
})

export class Invites {
  readonly #identity: Identity

  constructor(identity: Identity) {
    this.#identity = identity
  }

  async send(by: Administrator, wanted: NewInvite): Promise<SentInviteObject> {
    const { invites } = this.#identity.as(actorOf(by))
    const { token, ...invite } = await invites.send(by.caller.organizationId, wanted)
    return { ...present(invite), accept_token: token }
  }

  list({ caller }: Administrator, query: PageQuery): Promise<ListEnvelope<InviteObject>> {
    return listPage(query, (page) => this.#identity.invites.list(caller.organizationId, page), present)
  }

  async get({ caller }: Administrator, id: string): Promise<InviteObject> {
    return present(await this.#identity.invites.get(caller.organizationId, id))
  }

  async delete(by: Administrator, id: string): Promise<InviteDeleted> {
    await this.#identity.as(actorOf(by)).invites.remove(by.caller.organizationId, id)
    return { object: 'organization.invite.deleted', id, deleted: true }
  }

  async accept(
    from: Pick<RequestHead, 'address' | 'headers'>,
    { token, name, with_key: withKey }: AcceptInvite,
  ): Promise<AcceptedInvite> {
    const joined = await this.#identity.invites.accept({ token, name, withKey, ...originOf(from) })
    const { organizationId, user, key } = joined
    return {
      object: 'organization.invite.accepted',
      organization_id: organizationId,
      user: presentUser(user),
      ...(key && { api_key: { id: key.id, name: key.name, value: key.secret, created_at: key.createdAt } }),
    }
  }
}
