import type { Queries } from '@atoll/kernel/db/database'
import { type PageQuery, selectPage } from '@atoll/kernel/db/page'

export interface AssistantRow {
  id: string
  position: number
  project_id: string
  created_at: number
  /** All that callers can set, as JSON. */
  settings: string
}

declare module '@atoll/kernel/db/database' {
  interface Tables {
    assistants: AssistantRow
  }
}

export const insertAssistant = (queries: Queries, row: AssistantRow) =>
  queries.insertInto('assistants').values(row).execute()

export const findAssistant = (queries: Queries, projectId: string, id: string) =>
  queries
    .selectFrom('assistants')
    .selectAll()
    .where('id', '=', id)
    .where('project_id', '=', projectId)
    .executeTakeFirst()

export const listAssistants = (queries: Queries, projectId: string, page: PageQuery) =>
  selectPage(queries.selectFrom('assistants').selectAll().where('project_id', '=', projectId), page)

export const changeSettings = (queries: Queries, id: string, settings: string) =>
  queries.updateTable('assistants').set({ settings }).where('id', '=', id).execute()

export const deleteAssistant = (queries: Queries, id: string) =>
  queries.deleteFrom('assistants').where('id', '=', id).execute()
