import type { Queries, Tx } from '@atoll/kernel/db/database'
import { type PageQuery, selectPage } from '@atoll/kernel/db/page'
import type { Metadata } from './metadata/schema.ts'

export interface ChatCompletionRow {
  id: string
  position: number
  project_id: string
  created_at: number
  /** What answered, and what was asked for. */
  model: string
  requested_model: string
  /** JSON: the tags, the answer, the messages of the request. */
  metadata: string
  completion: string
  messages: string
}

/** The metadata once more, to search by. */
interface ChatCompletionTagRow {
  completion_id: string
  name: string
  value: string
}

declare module '@atoll/kernel/db/database' {
  interface Tables {
    chat_completions: ChatCompletionRow
    chat_completion_tags: ChatCompletionTagRow
  }
}

export async function insertCompletion(tx: Tx, row: ChatCompletionRow, tags: Metadata): Promise<void> {
  await tx.insertInto('chat_completions').values(row).execute()
  await insertTags(tx, row.id, tags)
}

async function insertTags(tx: Tx, completion_id: string, tags: Metadata): Promise<void> {
  const rows = Object.entries(tags).map(([name, value]) => ({ completion_id, name, value }))
  if (rows.length > 0) await tx.insertInto('chat_completion_tags').values(rows).execute()
}

const deleteTags = (tx: Tx, id: string) =>
  tx.deleteFrom('chat_completion_tags').where('completion_id', '=', id).execute()

const answerColumns = ['id', 'metadata', 'completion'] as const

export const findCompletion = (queries: Queries, projectId: string, id: string) =>
  queries
    .selectFrom('chat_completions')
    .select(answerColumns)
    .where('id', '=', id)
    .where('project_id', '=', projectId)
    .executeTakeFirst()

export const findMessages = (queries: Queries, projectId: string, id: string) =>
  queries
    .selectFrom('chat_completions')
    .select('messages')
    .where('id', '=', id)
    .where('project_id', '=', projectId)
    .executeTakeFirst()

export interface CompletionFilter {
  model?: string | undefined
  metadata?: Metadata | undefined
}

export function listCompletions(queries: Queries, projectId: string, filter: CompletionFilter, page: PageQuery) {
  let found = queries.selectFrom('chat_completions').select(answerColumns).where('project_id', '=', projectId)
  const { model, metadata = {} } = filter
  if (model !== undefined) {
    found = found.where((row) => row.or([row('model', '=', model), row('requested_model', '=', model)]))
  }
  for (const [name, value] of Object.entries(metadata)) {
    found = found.where((row) =>
      row.exists(
        row
          .selectFrom('chat_completion_tags')
          .select('completion_id')
          .whereRef('completion_id', '=', 'chat_completions.id')
          .where('name', '=', name)
          .where('value', '=', value),
      ),
    )
  }
  return selectPage(found, page)
}

export async function updateMetadata(tx: Tx, projectId: string, id: string, tags: Metadata) {
  const row = await tx
    .updateTable('chat_completions')
    .set({ metadata: JSON.stringify(tags) })
    .where('id', '=', id)
    .where('project_id', '=', projectId)
    .returning(answerColumns)
    .executeTakeFirst()
  if (row === undefined) return undefined
  await deleteTags(tx, id)
  await insertTags(tx, id, tags)
  return row
}

/** Whether there was one. */
export async function deleteCompletion(tx: Tx, projectId: string, id: string): Promise<boolean> {
  if ((await findCompletion(tx, projectId, id)) === undefined) return false
  await deleteTags(tx, id)
  await tx.deleteFrom('chat_completions').where('id', '=', id).execute()
  return true
}
