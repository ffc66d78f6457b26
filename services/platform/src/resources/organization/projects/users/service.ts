// Who works in a project, as administrators see and change it.
import type { PageQuery } from '@atoll/kernel/db/page'
import { actorOf } from '../../../../audit/actor-of.ts'
import type { ProjectRole } from '../../../../callers.ts'
import { type ListEnvelope, listPage } from '../../../../conventions/lists.ts'
import type { Identity } from '../../../../identity/identity.ts'
import type { ProjectUser } from '../../../../identity/project-members/membership.ts'
import type { Administrator } from '../../administrator.ts'
import type { ProjectUserDeleted, ProjectUserObject } from './schema.ts'

const present = ({ id, name, email, role, addedAt }: ProjectUser): ProjectUserObject => ({
  object: 'organization.project.user',
  id,
  name,
  email,
  role,
  added_at: addedAt,
})

export interface NewProjectUser {
  userId: string
  role: ProjectRole
}

export class ProjectUsers {
  readonly #identity: Identity

  constructor(identity: Identity) {
    this.#identity = identity
  }

  /** Somebody of the organization. AST-228 */
  async add(by: Administrator, projectId: string, user: NewProjectUser): Promise<ProjectUserObject> {
    return present(await this.#changes(by).add(by.caller.organizationId, projectId, user))
  }

  list({ caller }: Administrator, projectId: string, query: PageQuery): Promise<ListEnvelope<ProjectUserObject>> {
    const { projectMembers } = this.#identity
    return listPage(query, (page) => projectMembers.list(caller.organizationId, projectId, page), present)
  }

  async get({ caller }: Administrator, projectId: string, id: string): Promise<ProjectUserObject> {
    return present(await this.#identity.projectMembers.get(caller.organizationId, projectId, id))
  }

  async changeRole(by: Administrator, projectId: string, { userId, role }: NewProjectUser): Promise<ProjectUserObject> {
    return present(await this.#changes(by).changeRole(by.caller.organizationId, projectId, userId, role))
  }

  /** Their keys of this project end with it. */
  async remove(by: Administrator, projectId: string, id: string): Promise<ProjectUserDeleted> {
    await this.#changes(by).remove(by.caller.organizationId, projectId, id)
    return { object: 'organization.project.user.deleted', id, deleted: true }
  }

  #changes(by: Administrator) {
    return this.#identity.as(actorOf(by)).projectMembers
  }
}
