// The keys of a project, as administrators see and end them. Keys of people are made in other places. AST-247
import type { PageQuery } from '@atoll/kernel/db/page'
import { actorOf } from '../../../../audit/actor-of.ts'
import { type ListEnvelope, listPage } from '../../../../conventions/lists.ts'
import type { Identity } from '../../../../identity/identity.ts'
import type { KeyOwner, ProjectKey } from '../../../../identity/keys/key.ts'
import type { Administrator } from '../../administrator.ts'
import type { ProjectApiKeyDeleted, ProjectApiKeyObject } from './schema.ts'

const present = (key: ProjectKey): ProjectApiKeyObject => ({
  object: 'organization.project.api_key',
  id: key.id,
  name: key.name,
  redacted_value: key.redactedValue,
  created_at: key.createdAt,
  last_used_at: key.lastUsedAt,
  owner: presentOwner(key.owner),
})

function presentOwner(owner: KeyOwner): ProjectApiKeyObject['owner'] {
  if (owner.type === 'service_account') {
    const { id, name, role, createdAt } = owner.serviceAccount
    const object = 'organization.project.service_account'
    return { type: 'service_account', service_account: { object, id, name, role, created_at: createdAt } }
  }
  const { id, name, email, role, createdAt } = owner.user
  const object = 'organization.project.user'
  return { type: 'user', user: { object, id, name, email, role, created_at: createdAt, added_at: createdAt } }
}

export class ProjectApiKeys {
  readonly #identity: Identity

  constructor(identity: Identity) {
    this.#identity = identity
  }

  list({ caller }: Administrator, projectId: string, query: PageQuery): Promise<ListEnvelope<ProjectApiKeyObject>> {
    const { projectKeys } = this.#identity
    return listPage(query, (page) => projectKeys.list(caller.organizationId, projectId, page), present)
  }

  async get({ caller }: Administrator, projectId: string, id: string): Promise<ProjectApiKeyObject> {
    return present(await this.#identity.projectKeys.get(caller.organizationId, projectId, id))
  }

  async delete(by: Administrator, projectId: string, id: string): Promise<ProjectApiKeyDeleted> {
    await this.#identity.as(actorOf(by)).projectKeys.remove(by.caller.organizationId, projectId, id)
    return { object: 'organization.project.api_key.deleted', id, deleted: true }
  }
}
