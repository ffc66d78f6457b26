import type { Queries, Tx } from '@atoll/kernel/db/database'
import { type Page, type PageQuery, selectPage } from '@atoll/kernel/db/page'

export interface ProjectRow {
  id: string
  position: number
  organization_id: string
  name: string
  status: 'active' | 'archived'
  /** 1 for the one Default project of the organization, else 0. */
  is_default: number
  archived_at: number | null
  created_at: number
}

declare module '@atoll/kernel/db/database' {
  interface Tables {
    projects: ProjectRow
  }
}

export async function insertProject(tx: Tx, row: ProjectRow): Promise<void> {
  await tx.insertInto('projects').values(row).execute()
}

export const findProject = (queries: Queries, organizationId: string, id: string): Promise<ProjectRow | undefined> =>
  queries
    .selectFrom('projects')
    .selectAll()
    .where('id', '=', id)
    .where('organization_id', '=', organizationId)
    .executeTakeFirst()

export const findDefaultProject = (queries: Queries, organizationId: string): Promise<ProjectRow | undefined> =>
  queries
    .selectFrom('projects')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('is_default', '=', 1)
    .executeTakeFirst()

export function pageOfProjects(
  queries: Queries,
  organizationId: string,
  includeArchived: boolean,
  query: PageQuery,
): Promise<Page<ProjectRow>> {
  const all = queries.selectFrom('projects').selectAll().where('organization_id', '=', organizationId)
  return selectPage(includeArchived ? all : all.where('status', '=', 'active'), query)
}

export async function updateProject(
  tx: Tx,
  id: string,
  fields: Partial<Pick<ProjectRow, 'name' | 'status' | 'archived_at'>>,
): Promise<void> {
  await tx.updateTable('projects').set(fields).where('id', '=', id).execute()
}
