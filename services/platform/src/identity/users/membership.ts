// What a place in an organization is, and how to get one inside a transaction.
import { unixSeconds } from '@atoll/kernel/clock/clock'
import type { Queries, Tx } from '@atoll/kernel/db/database'
import { listPosition, type Making, newObject } from '@atoll/kernel/ids/new-object'
import type { OrganizationRole } from '../../callers.ts'
import { checkedName, isIdText } from '../names.ts'
import { problems } from '../problems.ts'
import { joinProject } from '../project-members/membership.ts'
import { requireDefaultProject } from '../projects/project.ts'
import { findMember, findUserByEmail, insertOrganizationMember, insertUser, type MemberRow } from './store.ts'

export interface NewUser {
  name: string
  email: string
  role: OrganizationRole
}

/** A user as one organization sees it. */
export interface OrganizationUser {
  id: string
  name: string
  email: string
  role: OrganizationRole
  addedAt: number
}

export const organizationUserOf = (row: MemberRow): OrganizationUser => ({
  id: row.id,
  name: row.name,
  email: row.email,
  role: row.role,
  addedAt: row.added_at,
})

/** Brings a person into the organization and into its Default project, which is open to every member. */
export async function addMember(
  tx: Tx,
  making: Making,
  organizationId: string,
  { name, email, role }: NewUser,
): Promise<OrganizationUser> {
  const defaultProject = await requireDefaultProject(tx, organizationId)
  const address = email.trim().toLowerCase()
  const user = (await findUserByEmail(tx, address)) ?? (await makeUser(tx, making, name, address))
  const addedAt = unixSeconds(making.clock)
  const joined = await insertOrganizationMember(tx, {
    organization_id: organizationId,
    user_id: user.id,
    position: listPosition(user.id),
    role,
    created_at: addedAt,
  })
  if (!joined) throw problems.alreadyMember('organization', address)
  await joinProject(tx, making, defaultProject.id, user.id, role === 'owner' ? 'owner' : 'member')
  return { id: user.id, name: user.name, email: user.email, role, addedAt }
}

async function makeUser(tx: Tx, making: Making, name: string, email: string) {
  const row = { ...newObject(making, 'user-'), name: checkedName(name), email }
  await insertUser(tx, row)
  return row
}

export async function requireUser(queries: Queries, organizationId: string, id: string): Promise<OrganizationUser> {
  const row = isIdText(id) ? await findMember(queries, organizationId, id) : undefined
  if (!row) throw problems.notFound('user', id)
  return organizationUserOf(row)
}

/** The same question asked about a parameter of another request: AST-228. */
export async function requireOrganizationMember(
  queries: Queries,
  organizationId: string,
  userId: string,
): Promise<OrganizationUser> {
  const row = isIdText(userId) ? await findMember(queries, organizationId, userId) : undefined
  if (!row) throw problems.notOrganizationMember(userId)
  return organizationUserOf(row)
}
