// Projects: what belongs to one is never seen from another. The Default project stays as it is; an archived one too.
import { unixSeconds } from '@atoll/kernel/clock/clock'
import type { Page, PageQuery } from '@atoll/kernel/db/page'
import type { Changes } from '../changes.ts'
import { checkedName } from '../names.ts'
import type { IdentityParts } from '../parts.ts'
import { problems } from '../problems.ts'
import { joinProject } from '../project-members/membership.ts'
import { requireOrganizationMember } from '../users/membership.ts'
import { makeProject, type Project, projectOf, requireActiveProject, requireProject } from './project.ts'
import { pageOfProjects, updateProject } from './store.ts'

export function projectsService(parts: IdentityParts, changes: Changes) {
  return {
    /** Its creator becomes its first owner. */
    create: (organizationId: string, { name, creatorId }: { name: string; creatorId: string }): Promise<Project> =>
      changes.run(async (tx, record) => {
        await requireOrganizationMember(tx, organizationId, creatorId)
        const project = await makeProject(tx, parts, organizationId, { name })
        await joinProject(tx, parts, project.id, creatorId, 'owner')
        const data = { name: project.name, title: project.name }
        await record(organizationId, {
          type: 'project.created',
          projectId: project.id,
          details: { id: project.id, data },
        })
        return project
      }),

    get: (organizationId: string, id: string): Promise<Project> => requireProject(parts.db.queries, organizationId, id),

    async list(
      organizationId: string,
      { includeArchived, ...query }: PageQuery & { includeArchived: boolean },
    ): Promise<Page<Project>> {
      const page = await pageOfProjects(parts.db.queries, organizationId, includeArchived, query)
      return { ...page, rows: page.rows.map(projectOf) }
    },

    rename: (organizationId: string, id: string, name: string): Promise<Project> =>
      changes.run(async (tx, record) => {
        const project = await requireActiveProject(tx, organizationId, id)
        if (project.isDefault) throw problems.defaultProject('rename')
        const renamed = checkedName(name)
        await updateProject(tx, id, { name: renamed })
        const details = { id, changes_requested: { name: renamed, title: renamed } }
        await record(organizationId, { type: 'project.updated', projectId: id, details })
        return { ...project, name: renamed }
      }),

    /** Its keys stop at once. Archiving again changes nothing, so that a caller may repeat a lost request. */
    archive: (organizationId: string, id: string): Promise<Project> =>
      changes.run(async (tx, record) => {
        const project = await requireProject(tx, organizationId, id)
        if (project.isDefault) throw problems.defaultProject('archive')
        if (project.status === 'archived') return project
        const archivedAt = unixSeconds(parts.clock)
        await updateProject(tx, id, { status: 'archived', archived_at: archivedAt })
        await record(organizationId, { type: 'project.archived', projectId: id, details: { id } })
        return { ...project, status: 'archived', archivedAt }
      }),
  }
}
