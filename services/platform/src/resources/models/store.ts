import type { Queries, Tx } from '@atoll/kernel/db/database'

export interface FineTunedModelRow {
  /** `ft:<base model>:<organization>:<suffix>:<id>` */
  id: string
  organization_id: string
  project_id: string
  base_model: string
  created_at: number
  /** 1: what was trained is kept under its id. */
  has_adapter: number
  /** Of the file it was trained on. */
  base_sha256: string | null
  /** Its id at the server that trained it, and that answers for it. */
  remote_model: string | null
}

declare module '@atoll/kernel/db/database' {
  interface Tables {
    fine_tuned_models: FineTunedModelRow
  }
}

export const insertFineTuned = (tx: Tx, row: FineTunedModelRow) =>
  tx.insertInto('fine_tuned_models').values(row).execute()

export const listFineTuned = (queries: Queries, projectId: string) =>
  queries
    .selectFrom('fine_tuned_models')
    .selectAll()
    .where('project_id', '=', projectId)
    .orderBy('created_at')
    .orderBy('id')
    .execute()

export const findFineTuned = (queries: Queries, id: string) =>
  queries.selectFrom('fine_tuned_models').selectAll().where('id', '=', id).executeTakeFirst()

export const deleteFineTuned = (tx: Tx, projectId: string, id: string) =>
  tx
    .deleteFrom('fine_tuned_models')
    .where('project_id', '=', projectId)
    .where('id', '=', id)
    .returning('id')
    .executeTakeFirst()
