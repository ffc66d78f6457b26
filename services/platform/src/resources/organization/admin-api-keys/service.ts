// Admin keys: each belongs to the owner of the organization who made it.
import type { PageQuery } from '@atoll/kernel/db/page'
import { actorOf } from '../../../audit/actor-of.ts'
import { type ListEnvelope, listPage } from '../../../conventions/lists.ts'
import type { Identity } from '../../../identity/identity.ts'
import type { AdminKey } from '../../../identity/keys/key.ts'
import type { Administrator } from '../administrator.ts'
import type { AdminApiKeyDeleted, AdminApiKeyObject, NewAdminApiKeyObject } from './schema.ts'

const present = ({ holder, ...key }: AdminKey): AdminApiKeyObject => ({
  object: 'organization.admin_api_key',
  id: key.id,
  name: key.name,
  redacted_value: key.redactedValue,
  created_at: key.createdAt,
  last_used_at: key.lastUsedAt,
  expires_at: null,
  owner: {
    type: 'user',
    object: 'organization.user',
    id: holder.id,
    name: holder.name,
    created_at: holder.createdAt,
    role: holder.role,
  },
})

export class AdminApiKeys {
  readonly #identity: Identity

  constructor(identity: Identity) {
    this.#identity = identity
  }

  async create(by: Administrator, name: string): Promise<NewAdminApiKeyObject> {
    const { organizationId, userId } = by.caller
    const { adminKeys } = this.#identity.as(actorOf(by))
    const { id, secret } = await adminKeys.create(organizationId, { userId, name })
    return { ...present(await adminKeys.get(organizationId, id)), value: secret }
  }

  list({ caller }: Administrator, query: PageQuery): Promise<ListEnvelope<AdminApiKeyObject>> {
    return listPage(query, (page) => this.#identity.adminKeys.list(caller.organizationId, page), present)
  }

  async get({ caller }: Administrator, id: string): Promise<AdminApiKeyObject> {
    return present(await this.#identity.adminKeys.get(caller.organizationId, id))
  }

  async delete(by: Administrator, id: string): Promise<AdminApiKeyDeleted> {
    await this.#identity.as(actorOf(by)).adminKeys.remove(by.caller.organizationId, id)
    return { object: 'organization.admin_api_key.deleted', id, deleted: true }
  }
}
