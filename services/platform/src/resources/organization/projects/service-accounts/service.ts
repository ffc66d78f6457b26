// The bots of a project, as administrators see and change them.
import type { PageQuery } from '@atoll/kernel/db/page'
import { actorOf } from '../../../../audit/actor-of.ts'
import { type ListEnvelope, listPage } from '../../../../conventions/lists.ts'
import type { Identity } from '../../../../identity/identity.ts'
import type { ServiceAccount } from '../../../../identity/service-accounts/service.ts'
import type { Administrator } from '../../administrator.ts'
import type {
  NewServiceAccountObject,
  ServiceAccountDeleted,
  ServiceAccountObject,
  UpdateServiceAccount,
} from './schema.ts'

const present = ({ id, name, role, createdAt }: ServiceAccount): ServiceAccountObject => ({
  object: 'organization.project.service_account',
  id,
  name,
  role,
  created_at: createdAt,
})

export class ServiceAccounts {
  readonly #identity: Identity

  constructor(identity: Identity) {
    this.#identity = identity
  }

  async create(by: Administrator, projectId: string, name: string): Promise<NewServiceAccountObject> {
    const { serviceAccounts } = this.#identity.as(actorOf(by))
    const { account, key } = await serviceAccounts.create(by.caller.organizationId, projectId, name)
    const object = 'organization.project.service_account.api_key'
    const api_key = { object, value: key.secret, name: key.name, created_at: key.createdAt, id: key.id } as const
    return { ...present(account), api_key }
  }

  list({ caller }: Administrator, projectId: string, query: PageQuery): Promise<ListEnvelope<ServiceAccountObject>> {
    const { serviceAccounts } = this.#identity
    return listPage(query, (page) => serviceAccounts.list(caller.organizationId, projectId, page), present)
  }

  async update(
    by: Administrator,
    { project_id, service_account_id }: { project_id: string; service_account_id: string },
    change: UpdateServiceAccount,
  ): Promise<ServiceAccountObject> {
    const { serviceAccounts } = this.#identity.as(actorOf(by))
    const { organizationId } = by.caller
    return present(await serviceAccounts.update(organizationId, project_id, service_account_id, change))
  }

  async get({ caller }: Administrator, projectId: string, id: string): Promise<ServiceAccountObject> {
    return present(await this.#identity.serviceAccounts.get(caller.organizationId, projectId, id))
  }

  async delete(by: Administrator, projectId: string, id: string): Promise<ServiceAccountDeleted> {
    await this.#identity.as(actorOf(by)).serviceAccounts.remove(by.caller.organizationId, projectId, id)
    return { object: 'organization.project.service_account.deleted', id, deleted: true }
  }
}
