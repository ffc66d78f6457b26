// The projects of an organization, as its administrators see and change them.
import type { PageQuery } from '@atoll/kernel/db/page'
import { actorOf } from '../../../audit/actor-of.ts'
import { type ListEnvelope, listPage } from '../../../conventions/lists.ts'
import type { Identity } from '../../../identity/identity.ts'
import type { Project } from '../../../identity/projects/project.ts'
import type { Administrator } from '../administrator.ts'
import type { ProjectObject } from './schema.ts'

const present = ({ id, name, createdAt, archivedAt, status }: Project): ProjectObject => ({
  object: 'organization.project',
  id,
  name,
  created_at: createdAt,
  archived_at: archivedAt,
  status,
})

export class Projects {
  readonly #identity: Identity

  constructor(identity: Identity) {
    this.#identity = identity
  }

  async create(by: Administrator, name: string): Promise<ProjectObject> {
    const { organizationId, userId: creatorId } = by.caller
    return present(await this.#changes(by).create(organizationId, { name, creatorId }))
  }

  list({ caller }: Administrator, query: PageQuery, includeArchived: boolean): Promise<ListEnvelope<ProjectObject>> {
    const { projects } = this.#identity
    return listPage(query, (page) => projects.list(caller.organizationId, { ...page, includeArchived }), present)
  }

  async get({ caller }: Administrator, id: string): Promise<ProjectObject> {
    return present(await this.#identity.projects.get(caller.organizationId, id))
  }

  async rename(by: Administrator, id: string, name: string): Promise<ProjectObject> {
    return present(await this.#changes(by).rename(by.caller.organizationId, id, name))
  }

  /** Its keys stop at once, on every node. */
  async archive(by: Administrator, id: string): Promise<ProjectObject> {
    return present(await this.#changes(by).archive(by.caller.organizationId, id))
  }

  #changes(by: Administrator) {
    return this.#identity.as(actorOf(by)).projects
  }
}
