// People in organizations. One owner at least always remains.
import type { Tx } from '@atoll/kernel/db/database'
import type { Page, PageQuery } from '@atoll/kernel/db/page'
import type { OrganizationRole } from '../../callers.ts'
import type { Changes } from '../changes.ts'
import { endKeys } from '../keys/end.ts'
import type { IdentityParts } from '../parts.ts'
import { problems } from '../problems.ts'
import { leaveAllProjects } from '../project-members/membership.ts'
import { addMember, type NewUser, type OrganizationUser, organizationUserOf, requireUser } from './membership.ts'
import { deleteMember, findTwoOwners, membershipsOf, pageOfMembers, updateMemberRole } from './store.ts'

async function requireAnotherOwner(tx: Tx, organizationId: string, user: OrganizationUser): Promise<void> {
  if (user.role !== 'owner') return
  const owners = await findTwoOwners(tx, organizationId)
  if (owners.every((owner) => owner.user_id === user.id)) throw problems.lastOwner(user.id)
}

export function usersService(parts: IdentityParts, changes: Changes) {
  return {
    add: (organizationId: string, user: NewUser): Promise<OrganizationUser> =>
      changes.run(async (tx, record) => {
        const added = await addMember(tx, parts, organizationId, user)
        await record(organizationId, { type: 'user.added', details: { id: added.id, data: { role: added.role } } })
        return added
      }),

    get: (organizationId: string, id: string): Promise<OrganizationUser> =>
      requireUser(parts.db.queries, organizationId, id),

    async list(organizationId: string, query: PageQuery): Promise<Page<OrganizationUser>> {
      const page = await pageOfMembers(parts.db.queries, organizationId, query)
      return { ...page, rows: page.rows.map(organizationUserOf) }
    },

    changeRole: (organizationId: string, id: string, role: OrganizationRole): Promise<OrganizationUser> =>
      changes.run(async (tx, record) => {
        const user = await requireUser(tx, organizationId, id)
        if (role !== 'owner') await requireAnotherOwner(tx, organizationId, user)
        await updateMemberRole(tx, organizationId, id, role)
        await record(organizationId, { type: 'user.updated', details: { id, changes_requested: { role } } })
        return { ...user, role }
      }),

    /** Ends the user's keys in this organization; the last organization to go takes the legacy user keys with it. */
    remove: (organizationId: string, id: string): Promise<void> =>
      changes.run(async (tx, record) => {
        const user = await requireUser(tx, organizationId, id)
        await requireAnotherOwner(tx, organizationId, user)
        await leaveAllProjects(tx, organizationId, id)
        await deleteMember(tx, organizationId, id)
        await endKeys(tx, parts, { user_id: id, organization_id: organizationId })
        const left = await membershipsOf(tx, id)
        if (left.length === 0) await endKeys(tx, parts, { user_id: id, kind: 'user' })
        await record(organizationId, { type: 'user.deleted', details: { id } })
      }),
  }
}
