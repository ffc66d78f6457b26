import type { Queries, Tx } from '@atoll/kernel/db/database'

export interface SessionRow {
  id: string
  /** Of the token in the cookie, which is kept nowhere. */
  digest: string
  /** The key it was opened with, and with which it ends. Its own id: it was opened by a link. */
  key_id: string
  organization_id: string
  user_id: string
  created_at: number
  expires_at: number
}

export interface LinkRow {
  /** Of the secret in the link, which is kept nowhere. */
  digest: string
  organization_id: string
  user_id: string
  expires_at: number
}

declare module '@atoll/kernel/db/database' {
  interface Tables {
    console_sessions: SessionRow
    console_links: LinkRow
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

export async function insertLink(tx: Tx, row: LinkRow): Promise<void> {
  await tx.insertInto('console_links').values(row).execute()
}

/** Whoever takes it is the only one. */
export const takeLink = (tx: Tx, digest: string): Promise<LinkRow | undefined> =>
  tx.deleteFrom('console_links').where('digest', '=', digest).returningAll().executeTakeFirst()

export async function deleteLinksExpiredBefore(tx: Tx, time: number): Promise<void> {
  await tx.deleteFrom('console_links').where('expires_at', '<', time).execute()
}
