// What a user may do in a project.
import type { Queries } from '@atoll/kernel/db/database'
import type { OrganizationRole, ProjectRole } from '../callers.ts'
import { findProjectMember } from './project-members/store.ts'
import type { Project } from './projects/project.ts'
import { findMember } from './users/store.ts'

export interface Access {
  organizationRole: OrganizationRole
  projectRole: ProjectRole
}

/** Owners of the organization reach every project, everyone in it the Default one, members theirs. */
export async function projectAccess(queries: Queries, userId: string, project: Project): Promise<Access | undefined> {
  const person = await findMember(queries, project.organizationId, userId)
  if (!person) return undefined
  if (person.role === 'owner') return { organizationRole: 'owner', projectRole: 'owner' }
  const member = await findProjectMember(queries, project.id, userId)
  if (!member && !project.isDefault) return undefined
  return { organizationRole: person.role, projectRole: member?.role ?? 'member' }
}
