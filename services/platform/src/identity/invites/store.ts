import type { Queries, Tx } from '@atoll/kernel/db/database'
import { type Page, type PageQuery, selectPage } from '@atoll/kernel/db/page'
import type { OrganizationRole } from '../../callers.ts'

export interface InviteRow {
  id: string
  position: number
  organization_id: string
  /** In lower case. */
  email: string
  role: OrganizationRole
  /** The projects to join beside the Default one, as JSON. */
  projects: string
  created_at: number
  expires_at: number
  accepted_at: number | null
}

declare module '@atoll/kernel/db/database' {
  interface Tables {
    invites: InviteRow
  }
}

export async function insertInvite(tx: Tx, row: InviteRow): Promise<void> {
  await tx.insertInto('invites').values(row).execute()
}

export const findInvite = (queries: Queries, organizationId: string, id: string): Promise<InviteRow | undefined> =>
  queries
    .selectFrom('invites')
    .selectAll()
    .where('id', '=', id)
    .where('organization_id', '=', organizationId)
    .executeTakeFirst()

/** Of whichever organization: for those who hold its token. */
export const findAnyInvite = (queries: Queries, id: string): Promise<InviteRow | undefined> =>
  queries.selectFrom('invites').selectAll().where('id', '=', id).executeTakeFirst()

export const findPendingInvite = (
  queries: Queries,
  organizationId: string,
  email: string,
  now: number,
): Promise<InviteRow | undefined> =>
  queries
    .selectFrom('invites')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('email', '=', email)
    .where('accepted_at', 'is', null)
    .where('expires_at', '>', now)
    .executeTakeFirst()

export const pageOfInvites = (queries: Queries, organizationId: string, query: PageQuery): Promise<Page<InviteRow>> =>
  selectPage(queries.selectFrom('invites').selectAll().where('organization_id', '=', organizationId), query)

export async function markAccepted(tx: Tx, id: string, acceptedAt: number): Promise<void> {
  await tx.updateTable('invites').set({ accepted_at: acceptedAt }).where('id', '=', id).execute()
}

export async function deleteInvite(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom('invites').where('id', '=', id).execute()
}
