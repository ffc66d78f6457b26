// Users and their memberships in organizations.
import type { Queries, Tx } from '@atoll/kernel/db/database'
import { type Page, type PageQuery, selectPage } from '@atoll/kernel/db/page'
import type { OrganizationRole } from '../../callers.ts'

export interface UserRow {
  id: string
  position: number
  name: string
  /** In lower case: one person, one address. */
  email: string
  created_at: number
}

export interface OrganizationMemberRow {
  organization_id: string
  user_id: string
  /** Of the user's id, which lists show. */
  position: number
  role: OrganizationRole
  created_at: number
}

declare module '@atoll/kernel/db/database' {
  interface Tables {
    users: UserRow
    organization_members: OrganizationMemberRow
  }
}

export async function insertUser(tx: Tx, row: UserRow): Promise<void> {
  await tx.insertInto('users').values(row).execute()
}

export const findUserByEmail = (queries: Queries, email: string): Promise<UserRow | undefined> =>
  queries.selectFrom('users').selectAll().where('email', '=', email).executeTakeFirst()

export const findUser = (queries: Queries, id: string): Promise<UserRow | undefined> =>
  queries.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirst()

/** False when the user is a member already. */
export async function insertOrganizationMember(tx: Tx, row: OrganizationMemberRow): Promise<boolean> {
  const inserted = await tx
    .insertInto('organization_members')
    .values(row)
    .onConflict((conflict) => conflict.columns(['organization_id', 'user_id']).doNothing())
    .returning('user_id')
    .execute()
  return inserted.length > 0
}

const memberRows = (queries: Queries, organizationId: string) =>
  queries
    .selectFrom((from) =>
      from
        .selectFrom('organization_members as membership')
        .innerJoin('users as person', 'person.id', 'membership.user_id')
        .where('membership.organization_id', '=', organizationId)
        .select([
          'membership.user_id as id',
          'membership.position as position',
          'membership.role as role',
          'membership.created_at as added_at',
          'person.name as name',
          'person.email as email',
        ])
        .as('member'),
    )
    .selectAll()

export type MemberRow = NonNullable<Awaited<ReturnType<typeof findMember>>>

export const findMember = (queries: Queries, organizationId: string, userId: string) =>
  memberRows(queries, organizationId).where('id', '=', userId).executeTakeFirst()

export const pageOfMembers = (queries: Queries, organizationId: string, query: PageQuery): Promise<Page<MemberRow>> =>
  selectPage(memberRows(queries, organizationId), query)

/** The user's organizations, the oldest membership first. */
export const membershipsOf = (queries: Queries, userId: string): Promise<OrganizationMemberRow[]> =>
  queries
    .selectFrom('organization_members')
    .innerJoin('organizations', 'organizations.id', 'organization_members.organization_id')
    .selectAll('organization_members')
    .where('user_id', '=', userId)
    .orderBy('organization_members.created_at')
    .orderBy('organizations.position')
    .orderBy('organizations.id')
    .execute()

/** Two are enough to know whether one may go. The oldest comes first. */
export const findTwoOwners = (queries: Queries, organizationId: string) =>
  queries
    .selectFrom('organization_members')
    .select('user_id')
    .where('organization_id', '=', organizationId)
    .where('role', '=', 'owner')
    .orderBy('created_at')
    .orderBy('position')
    .limit(2)
    .execute()

export async function updateMemberRole(
  tx: Tx,
  organizationId: string,
  userId: string,
  role: OrganizationRole,
): Promise<void> {
  await tx
    .updateTable('organization_members')
    .set({ role })
    .where('organization_id', '=', organizationId)
    .where('user_id', '=', userId)
    .execute()
}

export async function deleteMember(tx: Tx, organizationId: string, userId: string): Promise<void> {
  await tx
    .deleteFrom('organization_members')
    .where('organization_id', '=', organizationId)
    .where('user_id', '=', userId)
    .execute()
}
