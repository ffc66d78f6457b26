// Bots of a project. Each is born with its one key and ends with it.
import type { Queries } from '@atoll/kernel/db/database'
import type { Page, PageQuery } from '@atoll/kernel/db/page'
import { newObject } from '@atoll/kernel/ids/new-object'
import type { ProjectRole } from '../../callers.ts'
import type { Changes } from '../changes.ts'
import { endKeys } from '../keys/end.ts'
import { type IssuedKey, issueKey } from '../keys/issue.ts'
import { checkedName, isIdText } from '../names.ts'
import type { IdentityParts } from '../parts.ts'
import { problems } from '../problems.ts'
import { requireActiveProject, requireProject } from '../projects/project.ts'
import {
  changeServiceAccount,
  deleteServiceAccount,
  findServiceAccount,
  insertServiceAccount,
  pageOfServiceAccounts,
  type ServiceAccountRow,
} from './store.ts'

export interface ServiceAccount {
  id: string
  name: string
  role: ProjectRole
  createdAt: number
}

const serviceAccountOf = (row: ServiceAccountRow): ServiceAccount => ({
  id: row.id,
  name: row.name,
  role: row.role,
  createdAt: row.created_at,
})

async function requireServiceAccount(queries: Queries, projectId: string, id: string): Promise<ServiceAccount> {
  const row = isIdText(id) ? await findServiceAccount(queries, projectId, id) : undefined
  if (!row) throw problems.notFound('service_account', id)
  return serviceAccountOf(row)
}

export function serviceAccountsService(parts: IdentityParts, changes: Changes) {
  const { queries } = parts.db
  return {
    /** The key's secret is shown here and never again. */
    create: (
      organizationId: string,
      projectId: string,
      name: string,
    ): Promise<{ account: ServiceAccount; key: IssuedKey }> =>
      changes.run(async (tx, record) => {
        await requireActiveProject(tx, organizationId, projectId)
        const row: ServiceAccountRow = {
          ...newObject(parts, 'svc_acct_'),
          project_id: projectId,
          name: checkedName(name),
          role: 'member',
        }
        await insertServiceAccount(tx, row)
        const holder = { kind: 'service_account' as const, organizationId, projectId, serviceAccountId: row.id }
        const key = await issueKey(tx, parts, holder, 'Secret Key')
        const details = { id: row.id, data: { role: row.role } }
        await record(organizationId, { type: 'service_account.created', projectId, details })
        return { account: serviceAccountOf(row), key }
      }),

    async get(organizationId: string, projectId: string, id: string): Promise<ServiceAccount> {
      await requireProject(queries, organizationId, projectId)
      return requireServiceAccount(queries, projectId, id)
    },

    async list(organizationId: string, projectId: string, query: PageQuery): Promise<Page<ServiceAccount>> {
      await requireProject(queries, organizationId, projectId)
      const page = await pageOfServiceAccounts(queries, projectId, query)
      return { ...page, rows: page.rows.map(serviceAccountOf) }
    },

    update: (
      organizationId: string,
      projectId: string,
      id: string,
      { name, role }: { name?: string | undefined; role?: ProjectRole | undefined },
    ): Promise<ServiceAccount> =>
      changes.run(async (tx, record) => {
        await requireActiveProject(tx, organizationId, projectId)
        const before = await requireServiceAccount(tx, projectId, id)
        const change = {
          ...(name === undefined ? {} : { name: checkedName(name) }),
          ...(role === undefined ? {} : { role }),
        }
        if (Object.keys(change).length === 0) return before
        await changeServiceAccount(tx, id, change)
        const details = { id, changes_requested: change }
        await record(organizationId, { type: 'service_account.updated', projectId, details })
        return { ...before, ...change }
      }),

    remove: (organizationId: string, projectId: string, id: string): Promise<void> =>
      changes.run(async (tx, record) => {
        await requireActiveProject(tx, organizationId, projectId)
        await requireServiceAccount(tx, projectId, id)
        await endKeys(tx, parts, { service_account_id: id })
        await deleteServiceAccount(tx, id)
        await record(organizationId, { type: 'service_account.deleted', projectId, details: { id } })
      }),
  }
}
