// Admin keys: administration of one organization and nothing else. Their holders are owners of it.
import type { Page, PageQuery } from '@atoll/kernel/db/page'
import type { Changes } from '../changes.ts'
import { isIdText } from '../names.ts'
import type { IdentityParts } from '../parts.ts'
import { problems } from '../problems.ts'
import { requireOrganizationMember } from '../users/membership.ts'
import { findAdminKey, pageOfAdminKeys } from './admin-key-rows.ts'
import { createdKey } from './created.ts'
import { endKeys } from './end.ts'
import { type IssuedKey, issueKey } from './issue.ts'
import { type AdminKey, adminKeyOf } from './key.ts'
import type { NewKey } from './service.ts'

export function adminKeysService(parts: IdentityParts, changes: Changes) {
  const { queries } = parts.db
  return {
    create: (organizationId: string, { userId, name }: NewKey): Promise<IssuedKey> =>
      changes.run(async (tx, record) => {
        const user = await requireOrganizationMember(tx, organizationId, userId)
        if (user.role !== 'owner') throw problems.ownersOnly(userId)
        const key = await issueKey(tx, parts, { kind: 'admin', organizationId, userId }, name)
        await record(organizationId, { type: 'api_key.created', details: createdKey(key.id, 'admin') })
        return key
      }),

    async get(organizationId: string, id: string): Promise<AdminKey> {
      const row = isIdText(id) ? await findAdminKey(queries, organizationId, id) : undefined
      if (!row) throw problems.notFound('api_key', id)
      return adminKeyOf(row)
    },

    async list(organizationId: string, query: PageQuery): Promise<Page<AdminKey>> {
      const page = await pageOfAdminKeys(queries, organizationId, query)
      return { ...page, rows: page.rows.map(adminKeyOf) }
    },

    remove: (organizationId: string, id: string): Promise<void> =>
      changes.run(async (tx, record) => {
        const ended = isIdText(id)
          ? await endKeys(tx, parts, { id, kind: 'admin', organization_id: organizationId })
          : 0
        if (ended === 0) throw problems.notFound('api_key', id)
        await record(organizationId, { type: 'api_key.deleted', details: { id } })
      }),
  }
}
