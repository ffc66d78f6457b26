// What a project is, and how to come by one inside a transaction.
import type { Queries, Tx } from '@atoll/kernel/db/database'
import { type Making, newObject } from '@atoll/kernel/ids/new-object'
import { checkedName, isIdText } from '../names.ts'
import { problems } from '../problems.ts'
import { findDefaultProject, findProject, insertProject, type ProjectRow } from './store.ts'

export interface Project {
  id: string
  organizationId: string
  name: string
  status: 'active' | 'archived'
  isDefault: boolean
  createdAt: number
  archivedAt: number | null
}

export const projectOf = (row: ProjectRow): Project => ({
  id: row.id,
  organizationId: row.organization_id,
  name: row.name,
  status: row.status,
  isDefault: row.is_default === 1,
  createdAt: row.created_at,
  archivedAt: row.archived_at,
})

export async function makeProject(
  tx: Tx,
  making: Making,
  organizationId: string,
  { name, isDefault = false }: { name: string; isDefault?: boolean },
): Promise<Project> {
  const row: ProjectRow = {
    ...newObject(making, 'proj_'),
    organization_id: organizationId,
    name: checkedName(name),
    status: 'active',
    is_default: isDefault ? 1 : 0,
    archived_at: null,
  }
  await insertProject(tx, row)
  return projectOf(row)
}

/** A project of another organization is not found, just like one that never was. */
export async function requireProject(queries: Queries, organizationId: string, id: string): Promise<Project> {
  const row = isIdText(id) ? await findProject(queries, organizationId, id) : undefined
  if (!row) throw problems.notFound('project', id)
  return projectOf(row)
}

export async function requireDefaultProject(queries: Queries, organizationId: string): Promise<Project> {
  const row = await findDefaultProject(queries, organizationId)
  if (!row) throw problems.notFound('organization', organizationId)
  return projectOf(row)
}

export async function requireActiveProject(queries: Queries, organizationId: string, id: string): Promise<Project> {
  const project = await requireProject(queries, organizationId, id)
  if (project.status === 'archived') throw problems.archivedProject(id)
  return project
}
