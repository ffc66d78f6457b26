// Admin keys: administration of one organization and nothing else. Their holders are owners of it.
import type { Page, PageQuery } from '@atoll/kernel/db/page'
import type { Changes } from '../changes.ts'
import { isIdText } from '../names.ts'
import type { IdentityParts } from '../parts.ts'
import { problems } from '../problems.ts'
import { requireOrganizationMember } from '../users/membership.ts'
import { endKeys } from './end.ts'
import { type IssuedKey, issueKey } from './issue.ts'
import { type Key, keyOf } from './key.ts'
import type { NewKey } from './service.ts'
import { findKey, pageOfKeys } from './store.ts'

export function adminKeysService(parts: IdentityParts, changes: Changes) {
  const { queries } = parts.db
  return {
    create: (organizationId: string, { userId, name }: NewKey): Promise<IssuedKey> =>
      changes.run(async (tx) => {
        const user = await requireOrganizationMember(tx, organizationId, userId)
        if (user.role !== 'owner') throw problems.ownersOnly(userId)
        return issueKey(tx, parts, { kind: 'admin', organizationId, userId }, name)
      }),

    async get(organizationId: string, id: string): Promise<Key> {
      const row = isIdText(id)
        ? await findKey(queries, { id, kind: 'admin', organization_id: organizationId })
        : undefined
      if (!row) throw problems.notFound('api_key', id)
      return keyOf(row)
    },

    async list(organizationId: string, query: PageQuery): Promise<Page<Key>> {
      const page = await pageOfKeys(queries, { kind: 'admin', organization_id: organizationId }, query)
      return { ...page, rows: page.rows.map(keyOf) }
    },

    remove: (organizationId: string, id: string): Promise<void> =>
      changes.run(async (tx) => {
        const ended = isIdText(id)
          ? await endKeys(tx, parts, { id, kind: 'admin', organization_id: organizationId })
          : 0
        if (ended === 0) throw problems.notFound('api_key', id)
      }),
  }
}
