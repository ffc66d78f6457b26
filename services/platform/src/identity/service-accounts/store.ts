import type { Queries, Tx } from '@atoll/kernel/db/database'
import { type Page, type PageQuery, selectPage } from '@atoll/kernel/db/page'
import type { ProjectRole } from '../../callers.ts'

export interface ServiceAccountRow {
  id: string
  position: number
  project_id: string
  name: string
  role: ProjectRole
  created_at: number
}

declare module '@atoll/kernel/db/database' {
  interface Tables {
    service_accounts: ServiceAccountRow
  }
}

export async function insertServiceAccount(tx: Tx, row: ServiceAccountRow): Promise<void> {
  await tx.insertInto('service_accounts').values(row).execute()
}

export const findServiceAccount = (
  queries: Queries,
  projectId: string,
  id: string,
): Promise<ServiceAccountRow | undefined> =>
  queries
    .selectFrom('service_accounts')
    .selectAll()
    .where('id', '=', id)
    .where('project_id', '=', projectId)
    .executeTakeFirst()

export const pageOfServiceAccounts = (
  queries: Queries,
  projectId: string,
  query: PageQuery,
): Promise<Page<ServiceAccountRow>> =>
  selectPage(queries.selectFrom('service_accounts').selectAll().where('project_id', '=', projectId), query)

export async function changeServiceAccount(
  tx: Tx,
  id: string,
  change: Partial<Pick<ServiceAccountRow, 'name' | 'role'>>,
): Promise<void> {
  await tx.updateTable('service_accounts').set(change).where('id', '=', id).execute()
}

export async function deleteServiceAccount(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom('service_accounts').where('id', '=', id).execute()
}
