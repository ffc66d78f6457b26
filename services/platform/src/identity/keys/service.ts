// Ordinary keys: of a project, and the legacy ones that reach wherever their user does.
import type { Queries } from '@atoll/kernel/db/database'
import type { Page, PageQuery } from '@atoll/kernel/db/page'
import { projectAccess } from '../access.ts'
import type { Changes } from '../changes.ts'
import { isIdText } from '../names.ts'
import type { IdentityParts } from '../parts.ts'
import { problems } from '../problems.ts'
import { requireActiveProject, requireProject } from '../projects/project.ts'
import { requireOrganizationMember } from '../users/membership.ts'
import { findUser } from '../users/store.ts'
import { endKeys } from './end.ts'
import { type IssuedKey, issueKey } from './issue.ts'
import { type Key, keyOf, type ProjectKey, projectKeyOf } from './key.ts'
import { findProjectKey, type ProjectKeyRow, pageOfProjectKeys } from './project-key-rows.ts'
import { pageOfKeys } from './store.ts'

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
      changes.run(async (tx) => {
        const project = await requireActiveProject(tx, organizationId, projectId)
        await requireOrganizationMember(tx, organizationId, userId)
        const access = await projectAccess(tx, userId, project)
        if (!access) throw problems.noProjectAccess(userId, projectId)
        return issueKey(tx, parts, { kind: 'project', organizationId, projectId, userId }, name)
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

    /** Allowed in an archived project too: ending a secret is never wrong. */
    remove: (organizationId: string, projectId: string, id: string): Promise<void> =>
      changes.run(async (tx) => {
        await requireProject(tx, organizationId, projectId)
        const row = await requireProjectKey(tx, projectId, id)
        if (row.kind === 'service_account') throw problems.serviceAccountKey(id)
        await endKeys(tx, parts, { id })
      }),
  }
}

/** Legacy keys: scoped to a user, not to a project. */
export function userKeysService(parts: IdentityParts, changes: Changes) {
  return {
    create: ({ userId, name }: NewKey): Promise<IssuedKey> =>
      changes.run(async (tx) => {
        if (!isIdText(userId) || !(await findUser(tx, userId))) throw problems.notFound('user', userId)
        return issueKey(tx, parts, { kind: 'user', userId }, name)
      }),

    async list(userId: string, query: PageQuery): Promise<Page<Key>> {
      const page = await pageOfKeys(parts.db.queries, { kind: 'user', user_id: userId }, query)
      return { ...page, rows: page.rows.map(keyOf) }
    },

    remove: (userId: string, id: string): Promise<void> =>
      changes.run(async (tx) => {
        const ended = isIdText(id) ? await endKeys(tx, parts, { id, kind: 'user', user_id: userId }) : 0
        if (ended === 0) throw problems.notFound('api_key', id)
      }),
  }
}
