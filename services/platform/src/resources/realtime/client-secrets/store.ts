import type { Queries, Tx } from '@atoll/kernel/db/database'

export interface ClientKeyRow {
  /** Of the secret, which is kept nowhere. */
  digest: string
  /** The key it was made with, and with which it ends. */
  key_id: string
  organization_id: string
  project_id: string
  model: string
  /** As JSON. */
  settings: string
  expires_at: number
}

declare module '@atoll/kernel/db/database' {
  interface Tables {
    realtime_client_keys: ClientKeyRow
  }
}

export async function insertClientKey(tx: Tx, row: ClientKeyRow): Promise<void> {
  await tx.insertInto('realtime_client_keys').values(row).execute()
}

export const findClientKey = (queries: Queries, digest: string): Promise<ClientKeyRow | undefined> =>
  queries.selectFrom('realtime_client_keys').selectAll().where('digest', '=', digest).executeTakeFirst()

export async function deleteClientKeysExpiredBefore(tx: Tx, time: number): Promise<void> {
  await tx.deleteFrom('realtime_client_keys').where('expires_at', '<', time).execute()
}
