import type { Queries, Tx } from '@atoll/kernel/db/database'
import { type PageQuery, selectPage } from '@atoll/kernel/db/page'
import { sql } from 'kysely'
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

/** What completions are searched by: the models they name, and their metadata. */
interface ChatCompletionTermRow extends Term {
  completion_id: string
  project_id: string
  position: number
}

interface Term {
  kind: 'model' | 'metadata'
  /** Of the metadata; a model has none. */
  name: string
  value: string
}

declare module '@atoll/kernel/db/database' {
  interface Tables {
    chat_completions: ChatCompletionRow
    chat_completion_terms: ChatCompletionTermRow
  }
}

export async function insertCompletion(tx: Tx, row: ChatCompletionRow, tags: Metadata): Promise<void> {
  await tx.insertInto('chat_completions').values(row).execute()
  const models = [...new Set([row.model, row.requested_model])].map(modelTerm)
  await insertTerms(tx, row, [...models, ...tagTerms(tags)])
}

const modelTerm = (value: string): Term => ({ kind: 'model', name: '', value })

const tagTerms = (tags: Metadata): Term[] =>
  Object.entries(tags).map(([name, value]) => ({ kind: 'metadata', name, value }))

async function insertTerms(
  tx: Tx,
  { id, project_id, position }: Pick<ChatCompletionRow, 'id' | 'project_id' | 'position'>,
  terms: readonly Term[],
): Promise<void> {
  const rows = terms.map((term) => ({ completion_id: id, project_id, position, ...term }))
  if (rows.length > 0) await tx.insertInto('chat_completion_terms').values(rows).execute()
}

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

export async function listCompletions(queries: Queries, projectId: string, filter: CompletionFilter, page: PageQuery) {
  const { model, metadata = {} } = filter
  const terms = [...tagTerms(metadata), ...(model === undefined ? [] : [modelTerm(model)])]
  const [first, ...others] = terms
  const all = queries.selectFrom('chat_completions').select(answerColumns)
  if (first === undefined) return selectPage(all.where('project_id', '=', projectId), page)
  const { rows, hasMore } = await selectPage(withTerms(queries, projectId, first, others), page)
  if (rows.length === 0) return { rows: [], hasMore }
  const ids = rows.map(({ id }) => id)
  const found = await all.where('id', 'in', ids).execute()
  const byId = new Map(found.map((row) => [row.id, row]))
  return { rows: ids.flatMap((id) => byId.get(id) ?? []), hasMore }
}

/** The ids of completions with all these terms: goes along those with the first, in the order of the list. */
function withTerms(queries: Queries, projectId: string, first: Term, others: readonly Term[]) {
  const hasTerm = ({ kind, name, value }: Term) =>
    sql<boolean>`exists (select 1 from chat_completion_terms as other where other.completion_id = first.id
      and other.kind = ${kind} and other.name = ${name} and other.value = ${value})`
  return queries
    .selectFrom((source) =>
      source
        .selectFrom('chat_completion_terms')
        .select(['completion_id as id', 'position'])
        .where('project_id', '=', projectId)
        .where('kind', '=', first.kind)
        .where('name', '=', first.name)
        .where('value', '=', first.value)
        .as('first'),
    )
    .select('id')
    .where((row) => row.and(others.map(hasTerm)))
}

export async function updateMetadata(tx: Tx, projectId: string, id: string, tags: Metadata) {
  const row = await tx
    .updateTable('chat_completions')
    .set({ metadata: JSON.stringify(tags) })
    .where('id', '=', id)
    .where('project_id', '=', projectId)
    .returning([...answerColumns, 'project_id', 'position'])
    .executeTakeFirst()
  if (row === undefined) return undefined
  await tx.deleteFrom('chat_completion_terms').where('completion_id', '=', id).where('kind', '=', 'metadata').execute()
  await insertTerms(tx, row, tagTerms(tags))
  return row
}

/** Whether there was one. */
export async function deleteCompletion(tx: Tx, projectId: string, id: string): Promise<boolean> {
  if ((await findCompletion(tx, projectId, id)) === undefined) return false
  await tx.deleteFrom('chat_completion_terms').where('completion_id', '=', id).execute()
  await tx.deleteFrom('chat_completions').where('id', '=', id).execute()
  return true
}
