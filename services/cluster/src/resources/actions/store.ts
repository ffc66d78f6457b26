import type { Queries } from '@atoll/kernel/db/database'
import type { ActionStatus } from './schema.ts'

export interface ActionRow {
  uid: string
  name: string
  /** `bdb:1` */
  object_name: string
  runs_on: string | null
  node_uid: string
  status: ActionStatus
  progress: number
  state: string | null
  /** Milliseconds since the epoch. */
  heartbeat: number
  description: string
  error: string | null
  /** JSON. */
  pending_ops: string
  details: string
  created_at: number
}

declare module '@atoll/kernel/db/database' {
  interface Tables {
    cluster_actions: ActionRow
  }
}

export const insertAction = (queries: Queries, row: ActionRow) =>
  queries.insertInto('cluster_actions').values(row).execute()

export const updateAction = (queries: Queries, uid: string, change: Partial<ActionRow>) =>
  queries.updateTable('cluster_actions').set(change).where('uid', '=', uid).execute()

export const findAction = (queries: Queries, uid: string) =>
  queries.selectFrom('cluster_actions').selectAll().where('uid', '=', uid).executeTakeFirst()

export const findRunningOn = (queries: Queries, objectName: string) =>
  queries.selectFrom('cluster_actions').selectAll().where('runs_on', '=', objectName).executeTakeFirst()

export const newestActions = (queries: Queries, limit: number) =>
  queries.selectFrom('cluster_actions').selectAll().orderBy('created_at', 'desc').orderBy('uid').limit(limit).execute()

export const runningActions = (queries: Queries) =>
  queries
    .selectFrom('cluster_actions')
    .selectAll()
    .where('runs_on', 'is not', null)
    .orderBy('created_at')
    .orderBy('uid')
    .execute()

export const deleteEndedBefore = (queries: Queries, at: number) =>
  queries.deleteFrom('cluster_actions').where('runs_on', 'is', null).where('created_at', '<', at).execute()
