// Organizations: each is born with an owner and its Default project.
import type { Queries, Tx } from '@atoll/kernel/db/database'
import { type Making, newObject } from '@atoll/kernel/ids/new-object'
import type { Changes } from '../changes.ts'
import { checkedName } from '../names.ts'
import type { IdentityParts } from '../parts.ts'
import { problems } from '../problems.ts'
import { makeProject, type Project } from '../projects/project.ts'
import { addMember, type NewUser, type OrganizationUser } from '../users/membership.ts'
import { findOrganization, insertOrganization, renameOrganization } from './store.ts'

export interface Organization {
  id: string
  name: string
  createdAt: number
}

export interface FoundedOrganization {
  organization: Organization
  owner: OrganizationUser
  defaultProject: Project
}

export async function foundOrganization(
  tx: Tx,
  making: Making,
  name: string,
  owner: Omit<NewUser, 'role'>,
): Promise<FoundedOrganization> {
  const row = { ...newObject(making, 'org-'), name: checkedName(name) }
  await insertOrganization(tx, row)
  const defaultProject = await makeProject(tx, making, row.id, { name: 'Default project', isDefault: true })
  const user = await addMember(tx, making, row.id, { ...owner, role: 'owner' })
  return { organization: { id: row.id, name: row.name, createdAt: row.created_at }, owner: user, defaultProject }
}

async function requireOrganization(queries: Queries, id: string): Promise<Organization> {
  const row = await findOrganization(queries, id)
  if (!row) throw problems.notFound('organization', id)
  return { id: row.id, name: row.name, createdAt: row.created_at }
}

export function organizationsService(parts: IdentityParts, changes: Changes) {
  return {
    /** An existing user with the same e-mail address becomes the owner; otherwise a new one is made. */
    create: (name: string, owner: Omit<NewUser, 'role'>): Promise<FoundedOrganization> =>
      changes.run((tx) => foundOrganization(tx, parts, name, owner)),

    get: (id: string): Promise<Organization> => requireOrganization(parts.db.queries, id),

    rename: (id: string, name: string): Promise<Organization> =>
      changes.run(async (tx, record) => {
        const organization = await requireOrganization(tx, id)
        const renamed = checkedName(name)
        await renameOrganization(tx, id, renamed)
        const details = { id, changes_requested: { title: renamed, name: renamed } }
        await record(id, { type: 'organization.updated', details })
        return { ...organization, name: renamed }
      }),
  }
}
