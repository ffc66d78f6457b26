import type { Queries, Tx } from '@atoll/kernel/db/database'

export interface OrganizationRow {
  id: string
  position: number
  name: string
  created_at: number
}

declare module '@atoll/kernel/db/database' {
  interface Tables {
    organizations: OrganizationRow
  }
}

export async function insertOrganization(tx: Tx, row: OrganizationRow): Promise<void> {
  await tx.insertInto('organizations').values(row).execute()
}

export const findOrganization = (queries: Queries, id: string): Promise<OrganizationRow | undefined> =>
  queries.selectFrom('organizations').selectAll().where('id', '=', id).executeTakeFirst()

export const findOldestOrganization = (queries: Queries): Promise<OrganizationRow | undefined> =>
  queries.selectFrom('organizations').selectAll().orderBy('position').orderBy('id').limit(1).executeTakeFirst()

export async function renameOrganization(tx: Tx, id: string, name: string): Promise<void> {
  await tx.updateTable('organizations').set({ name }).where('id', '=', id).execute()
}
