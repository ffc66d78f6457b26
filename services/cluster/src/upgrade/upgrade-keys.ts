// Idempotency keys: who sends the same request with the same key again gets the upgrade that it began.
import { createHash } from 'node:crypto'
import { canonicalJson } from '@atoll/kernel/audit/canonical-json'
import type { Queries, Tx } from '@atoll/kernel/db/database'

declare module '@atoll/kernel/db/database' {
  interface Tables {
    cluster_upgrade_keys: { key: string; request_sha256: string; action_uid: string; created_at: number }
  }
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')

export interface UpgradeKey {
  key: string
  requestSha256: string
}

export const upgradeKey = (userUid: number, key: string, request: unknown): UpgradeKey => ({
  key: sha256(`${userUid}:${key}`),
  requestSha256: sha256(canonicalJson(request)),
})

export const findUpgradeKey = (queries: Queries, key: string) =>
  queries.selectFrom('cluster_upgrade_keys').selectAll().where('key', '=', key).executeTakeFirst()

export const insertUpgradeKey = (tx: Tx, { key, requestSha256 }: UpgradeKey, actionUid: string, now: number) =>
  tx
    .insertInto('cluster_upgrade_keys')
    .values({ key, request_sha256: requestSha256, action_uid: actionUid, created_at: now })
    .execute()
