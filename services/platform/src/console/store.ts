import type { Queries, Tx } from '@atoll/kernel/db/database'

export interface SessionRow {
  id: string
  /** Of the token in the cookie, which is kept nowhere. */
  digest: string
  /** The admin key it was opened with, and with which it ends. */
  key_id: string
  organization_id: string
  user_id: string
  created_at: number
  expires_at: number
}

declare module '@atoll/kernel/db/database' {
  interface Tables {
    console_sessions: SessionRow
  }
}

export async function insertSession(tx: Tx, row: SessionRow): Promise<void> {
  await tx.insertInto('console_sessions').values(row).execute()
}

export const findSession = (queries: Queries, digest: string): Promise<SessionRow | undefined> =>
  queries.selectFrom('console_sessions').selectAll().where('digest', '=', digest).executeTakeFirst()

/** False when it is gone already. */
export async function deleteSession(tx: Tx, id: string): Promise<boolean> {
  const gone = await tx.deleteFrom('console_sessions').where('id', '=', id).returning('id').execute()
  return gone.length > 0
}

export async function deleteSessionsExpiredBefore(tx: Tx, time: number): Promise<void> {
  await tx.deleteFrom('console_sessions').where('expires_at', '<', time).execute()
}
