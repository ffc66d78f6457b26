// The people of an organization, as its administrators see and change them.
import type { PageQuery } from '@atoll/kernel/db/page'
import { actorOf } from '../../../audit/actor-of.ts'
import type { OrganizationRole } from '../../../callers.ts'
import { type ListEnvelope, listPage } from '../../../conventions/lists.ts'
import type { Identity } from '../../../identity/identity.ts'
import type { OrganizationUser } from '../../../identity/users/membership.ts'
import type { Administrator } from '../administrator.ts'
import type { UserDeleted, UserObject } from './schema.ts'

export const presentUser = ({ id, name, email, role, addedAt }: OrganizationUser): UserObject => ({
  object: 'organization.user',
  id,
  name,
  email,
  role,
  added_at: addedAt,
})

export class Users {
  readonly #identity: Identity

  constructor(identity: Identity) {
    this.#identity = identity
  }

  list({ caller }: Administrator, query: PageQuery): Promise<ListEnvelope<UserObject>> {
    return listPage(query, (page) => this.#identity.users.list(caller.organizationId, page), presentUser)
  }

  async get({ caller }: Administrator, id: string): Promise<UserObject> {
    return presentUser(await this.#identity.users.get(caller.organizationId, id))
  }

  async changeRole(by: Administrator, id: string, role: OrganizationRole): Promise<UserObject> {
    return presentUser(await this.#identity.as(actorOf(by)).users.changeRole(by.caller.organizationId, id, role))
  }

  /** Their keys end with it, on every node. */
  async remove(by: Administrator, id: string): Promise<UserDeleted> {
    await this.#identity.as(actorOf(by)).users.remove(by.caller.organizationId, id)
    return { object: 'organization.user.deleted', id, deleted: true }
  }
}
