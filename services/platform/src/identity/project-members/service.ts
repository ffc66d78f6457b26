// Who works in a project. Members come from the organization; nobody leaves the Default project without leaving that.
import type { Page, PageQuery } from '@atoll/kernel/db/page'
import type { ProjectRole } from '../../callers.ts'
import type { Changes } from '../changes.ts'
import { endKeys } from '../keys/end.ts'
import type { IdentityParts } from '../parts.ts'
import { problems } from '../problems.ts'
import { requireActiveProject, requireProject } from '../projects/project.ts'
import { requireOrganizationMember } from '../users/membership.ts'
import { joinProject, type ProjectUser, projectUserOf, requireProjectUser } from './membership.ts'
import { deleteProjectMember, pageOfProjectMembers, updateProjectMemberRole } from './store.ts'

export function projectMembersService(parts: IdentityParts, changes: Changes) {
  const { queries } = parts.db
  return {
    add: (
      organizationId: string,
      projectId: string,
      { userId, role }: { userId: string; role: ProjectRole },
    ): Promise<ProjectUser> =>
      changes.run(async (tx, record) => {
        await requireActiveProject(tx, organizationId, projectId)
        const user = await requireOrganizationMember(tx, organizationId, userId)
        const addedAt = await joinProject(tx, parts, projectId, userId, role)
        const details = { id: userId, data: { role } }
        await record(organizationId, { type: 'user.added', projectId, details })
        return { ...user, role, addedAt }
      }),

    async get(organizationId: string, projectId: string, userId: string): Promise<ProjectUser> {
      await requireProject(queries, organizationId, projectId)
      return requireProjectUser(queries, projectId, userId)
    },

    async list(organizationId: string, projectId: string, query: PageQuery): Promise<Page<ProjectUser>> {
      await requireProject(queries, organizationId, projectId)
      const page = await pageOfProjectMembers(queries, projectId, query)
      return { ...page, rows: page.rows.map(projectUserOf) }
    },

    changeRole: (organizationId: string, projectId: string, userId: string, role: ProjectRole): Promise<ProjectUser> =>
      changes.run(async (tx, record) => {
        await requireActiveProject(tx, organizationId, projectId)
        const user = await requireProjectUser(tx, projectId, userId)
        await updateProjectMemberRole(tx, projectId, userId, role)
        const details = { id: userId, changes_requested: { role } }
        await record(organizationId, { type: 'user.updated', projectId, details })
        return { ...user, role }
      }),

    /** Ends the user's keys of this project as well. */
    remove: (organizationId: string, projectId: string, userId: string): Promise<void> =>
      changes.run(async (tx, record) => {
        const project = await requireActiveProject(tx, organizationId, projectId)
        await requireProjectUser(tx, projectId, userId)
        if (project.isDefault) throw problems.defaultProject('remove_member')
        await deleteProjectMember(tx, projectId, userId)
        await endKeys(tx, parts, { user_id: userId, project_id: projectId })
        await record(organizationId, { type: 'user.deleted', projectId, details: { id: userId } })
      }),
  }
}
