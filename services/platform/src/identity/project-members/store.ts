import type { Queries, Tx } from '@atoll/kernel/db/database'
import { type Page, type PageQuery, selectPage } from '@atoll/kernel/db/page'
import type { ProjectRole } from '../../callers.ts'

export interface ProjectMemberRow {
  project_id: string
  user_id: string
  /** Of the user's id, which lists show. */
  position: number
  role: ProjectRole
  created_at: number
}

declare module '@atoll/kernel/db/database' {
  interface Tables {
    project_members: ProjectMemberRow
  }
}

/** False when the user is a member already. */
export async function insertProjectMember(tx: Tx, row: ProjectMemberRow): Promise<boolean> {
  const inserted = await tx
    .insertInto('project_members')
    .values(row)
    .onConflict((conflict) => conflict.columns(['project_id', 'user_id']).doNothing())
    .returning('user_id')
    .execute()
  return inserted.length > 0
}

const memberRows = (queries: Queries, projectId: string) =>
  queries
    .selectFrom((from) =>
      from
        .selectFrom('project_members as membership')
        .innerJoin('users as person', 'person.id', 'membership.user_id')
        .where('membership.project_id', '=', projectId)
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

export type MemberRow = NonNullable<Awaited<ReturnType<typeof findProjectMember>>>

export const findProjectMember = (queries: Queries, projectId: string, userId: string) =>
  memberRows(queries, projectId).where('id', '=', userId).executeTakeFirst()

export const pageOfProjectMembers = (queries: Queries, projectId: string, query: PageQuery): Promise<Page<MemberRow>> =>
  selectPage(memberRows(queries, projectId), query)

export async function updateProjectMemberRole(
  tx: Tx,
  projectId: string,
  userId: string,
  role: ProjectRole,
): Promise<void> {
  await tx
    .updateTable('project_members')
    .set({ role })
    .where('project_id', '=', projectId)
    .where('user_id', '=', userId)
    .execute()
}

export async function deleteProjectMember(tx: Tx, projectId: string, userId: string): Promise<void> {
  await tx.deleteFrom('project_members').where('project_id', '=', projectId).where('user_id', '=', userId).execute()
}

/** Out of every project of the organization. */
export async function deleteAllProjectMemberships(tx: Tx, organizationId: string, userId: string): Promise<void> {
  await tx
    .deleteFrom('project_members')
    .where('user_id', '=', userId)
    .where('project_id', 'in', (from) =>
      from.selectFrom('projects').select('id').where('organization_id', '=', organizationId),
    )
    .execute()
}
