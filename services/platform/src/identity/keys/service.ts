// Ordinary keys: of a project, and the legacy ones that reach wherever their user does.
import type { Queries, Tx } from '@atoll/kernel/db/database'
import type { Page, PageQuery } from '@atoll/kernel/db/page'
import type { Change } from '../../audit/change.ts'
import { projectAccess } from '../access.ts'
import type { Changes, RecordChange } from '../changes.ts'
import { checkedName, isIdText } from '../names.ts'
import type { IdentityParts } from '../parts.ts'
import { problems } from '../problems.ts'
import { requireActiveProject, requireProject } from '../projects/project.ts'
import { requireOrganizationMember } from '../users/membership.ts'
import { findUser, membershipsOf } from '../users/store.ts'
import { createdKey } from './created.ts'
import { endKeys } from './end.ts'
import { type IssuedKey, issueKey } from './issue.ts'
import { type Key, keyOf, type ProjectKey, projectKeyOf } from './key.ts'
import { findProjectKey, type ProjectKeyRow, pageOfProjectKeys } from './project-key-rows.ts'
import { pageOfKeys, renameKey } from './store.ts'

export interface NewKey {
  userId: string
  name: string
}

async function requireProjectKey(queries: Queries, projectId: string, id: string): Promise<ProjectKeyRow> {
  const row = isIdText(id) ? await findProjectKey(queries, projectId, id) : undefined
  if (!row) throw problems.notFound('api_key', id)
  return row
}

/** Keys of one project, of people and of its service accounts. */
export function projectKeysService(parts: IdentityParts, changes: Changes) {
  const { queries } = parts.db
  return {
    create: (organizationId: string, projectId: string, { userId, name }: NewKey): Promise<IssuedKey> =>
      changes.run(async (tx, record) => {
        const project = await requireActiveProject(tx, organizationId, projectId)
        await requireOrganizationMember(tx, organizationId, userId)
        const access = await projectAccess(tx, userId, project)
        if (!access) throw problems.noProjectAccess(userId, projectId)
        const key = await issueKey(tx, parts, { kind: 'project', organizationId, projectId, userId }, name)
        const details = createdKey(key.id, 'project')
        await record(organizationId, { type: 'api_key.created', projectId, details })
        return key
      }),

    async get(organizationId: string, projectId: string, id: string): Promise<ProjectKey> {
      await requireProject(queries, organizationId, projectId)
      return projectKeyOf(await requireProjectKey(queries, projectId, id))
    },

    async list(organizationId: string, projectId: string, query: PageQuery): Promise<Page<ProjectKey>> {
      await requireProject(queries, organizationId, projectId)
      const page = await pageOfProjectKeys(queries, projectId, query)
      return { ...page, rows: page.rows.map(projectKeyOf) }
    },

    rename: (organizationId: string, projectId: string, id: string, name: string): Promise<ProjectKey> =>
      changes.run(async (tx, record) => {
        await requireActiveProject(tx, organizationId, projectId)
        const row = await requireProjectKey(tx, projectId, id)
        const renamed = checkedName(name)
        await renameKey(tx, id, renamed)
        const details = { id, changes_requested: { name: renamed } }
        await record(organizationId, { type: 'api_key.updated', projectId, details })
        return projectKeyOf({ ...row, name: renamed })
      }),

    /** Allowed in an archived project too: ending a secret is never wrong. */
    remove: (organizationId: string, projectId: string, id: string): Promise<void> =>
      changes.run(async (tx, record) => {
        await requireProject(tx, organizationId, projectId)
        const row = await requireProjectKey(tx, projectId, id)
        if (row.kind === 'service_account') throw problems.serviceAccountKey(id)
        await endKeys(tx, parts, { id })
        await record(organizationId, { type: 'api_key.deleted', projectId, details: { id } })
      }),
  }
}

/** A legacy key reaches every organization of its user, so each has it on record. */
async function recordInAll(tx: Tx, record: RecordChange, userId: string, change: Change): Promise<void> {
  for (const { organization_id } of await membershipsOf(tx, userId)) await record(organization_id, change)
}

/** Legacy keys: scoped to a user, not to a project. */
export function userKeysService(parts: IdentityParts, changes: Changes) {
  return {
    create: ({ userId, name }: NewKey): Promise<IssuedKey> =>
      changes.run(async (tx, record) => {
        if (!isIdText(userId) || !(await findUser(tx, userId))) throw problems.notFound('user', userId)
        const key = await issueKey(tx, parts, { kind: 'user', userId }, name)
        const change: Change = { type: 'api_key.created', details: createdKey(key.id, 'user') }
        await recordInAll(tx, record, userId, change)
        return key
      }),

    async list(userId: string, query: PageQuery): Promise<Page<Key>> {
      const page = await pageOfKeys(parts.db.queries, { kind: 'user', user_id: userId }, query)
      return { ...page, rows: page.rows.map(keyOf) }
    },

    remove: (userId: string, id: string): Promise<void> =>
      changes.run(async (tx, record) => {
        const ended = isIdText(id) ? await endKeys(tx, parts, { id, kind: 'user', user_id: userId }) : 0
        if (ended === 0) throw problems.notFound('api_key', id)
        await recordInAll(tx, record, userId, { type: 'api_key.deleted', details: { id } })
      }),
  }
}
