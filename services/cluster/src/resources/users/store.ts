import type { Queries } from '@atoll/kernel/db/database'
import type { Role } from '../../identity/schema.ts'

export interface UserRow {
  uid: number
  /** In small letters: what a user logs in with. */
  email: string
  name: string
  role: Role
  status: 'active' | 'locked'
  password_hash: string
  /** Milliseconds since the epoch. */
  password_issued_at: number
  /** 0 or 1. */
  email_alerts: number
  /** JSON: numbers of databases, or `all`. */
  bdbs_email_alerts: string
}

declare module '@atoll/kernel/db/database' {
  interface Tables {
    cluster_users: UserRow
  }
}

export const insertUser = (queries: Queries, row: UserRow) => queries.insertInto('cluster_users').values(row).execute()

export const updateUser = (queries: Queries, uid: number, change: Partial<UserRow>) =>
  queries.updateTable('cluster_users').set(change).where('uid', '=', uid).execute()

export const deleteUser = (queries: Queries, uid: number) =>
  queries.deleteFrom('cluster_users').where('uid', '=', uid).execute()

export const allUsers = (queries: Queries) => queries.selectFrom('cluster_users').selectAll().orderBy('uid').execute()

export const findUser = (queries: Queries, uid: number) =>
  queries.selectFrom('cluster_users').selectAll().where('uid', '=', uid).executeTakeFirst()

export const findUserByEmail = (queries: Queries, email: string) =>
  queries.selectFrom('cluster_users').selectAll().where('email', '=', email).executeTakeFirst()

export const findUserByName = (queries: Queries, name: string) =>
  queries.selectFrom('cluster_users').selectAll().where('name', '=', name).executeTakeFirst()

export async function countUsers(queries: Queries, role?: Role): Promise<number> {
  const all = queries.selectFrom('cluster_users').select(({ fn }) => fn.countAll<number | string>().as('count'))
  const { count } = await (role === undefined ? all : all.where('role', '=', role)).executeTakeFirstOrThrow()
  return Number(count)
}
