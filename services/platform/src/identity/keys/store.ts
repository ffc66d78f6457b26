// The table of keys, admin keys included.
import type { Queries, Tx } from '@atoll/kernel/db/database'
import { type Page, type PageQuery, selectPage } from '@atoll/kernel/db/page'
import type { KeyKind } from './secret.ts'

export interface ApiKeyRow {
  id: string
  position: number
  kind: KeyKind
  /** Null for a legacy user key: it reaches every organization of its user. */
  organization_id: string | null
  /** Null for legacy user keys and admin keys. */
  project_id: string | null
  /** One of the two owns the key. */
  user_id: string | null
  service_account_id: string | null
  name: string
  digest: string
  hint: string
  created_at: number
  last_used_at: number | null
}

declare module '@atoll/kernel/db/database' {
  interface Tables {
    api_keys: ApiKeyRow
    revoked_keys: { digest: string; revoked_at: number }
  }
}

export async function insertKey(tx: Tx, row: ApiKeyRow): Promise<void> {
  await tx.insertInto('api_keys').values(row).execute()
}

export const findKeyByDigest = (queries: Queries, digest: string): Promise<ApiKeyRow | undefined> =>
  queries.selectFrom('api_keys').selectAll().where('digest', '=', digest).executeTakeFirst()

export async function renameKey(tx: Tx, id: string, name: string): Promise<void> {
  await tx.updateTable('api_keys').set({ name }).where('id', '=', id).execute()
}

/** Which keys, by columns; all that are named must match. */
export type KeyMatch = Partial<
  Pick<ApiKeyRow, 'id' | 'kind' | 'user_id' | 'organization_id' | 'project_id' | 'service_account_id'>
> &
  ({ id: string } | { user_id: string } | { service_account_id: string })

export const findKey = (queries: Queries, match: KeyMatch): Promise<ApiKeyRow | undefined> =>
  queries
    .selectFrom('api_keys')
    .selectAll()
    .where((where) => where.and(match))
    .executeTakeFirst()

export const pageOfKeys = (
  queries: Queries,
  match: Partial<Pick<ApiKeyRow, 'kind' | 'user_id' | 'organization_id' | 'project_id'>>,
  query: PageQuery,
): Promise<Page<ApiKeyRow>> =>
  selectPage(
    queries
      .selectFrom('api_keys')
      .selectAll()
      .where((where) => where.and(match)),
    query,
  )

/** Ends keys for good. Their digests stay behind, so that they are never taken in again. */
export async function revokeKeys(tx: Tx, match: KeyMatch, revokedAt: number): Promise<number> {
  const ended = await tx
    .deleteFrom('api_keys')
    .where((where) => where.and(match))
    .returning('digest')
    .execute()
  for (const { digest } of ended) {
    await tx
      .insertInto('revoked_keys')
      .values({ digest, revoked_at: revokedAt })
      .onConflict((conflict) => conflict.column('digest').doNothing())
      .execute()
  }
  return ended.length
}

export async function isRevoked(queries: Queries, digest: string): Promise<boolean> {
  const row = await queries.selectFrom('revoked_keys').select('digest').where('digest', '=', digest).executeTakeFirst()
  return row !== undefined
}

export async function markUsed(tx: Tx, keyId: string, usedAt: number): Promise<void> {
  await tx
    .updateTable('api_keys')
    .set({ last_used_at: usedAt })
    .where('id', '=', keyId)
    .where((where) => where.or([where('last_used_at', 'is', null), where('last_used_at', '<', usedAt)]))
    .execute()
}
