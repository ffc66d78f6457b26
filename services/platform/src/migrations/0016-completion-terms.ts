// What kept completions are found by, as rows in the order of lists: a page is then one range of an index, however
// many completions a project has. Takes the place of the tags, which could only be looked up for a completion at hand.
import type { Migration } from '@atoll/kernel/db/migration'
import { sql } from 'kysely'

type Db = Parameters<Migration['up']>[0]

export const completionTermsMigration: Migration = {
  name: 'platform/0016-completion-terms',
  async up(db) {
    await createTerms(db)
    await fillTerms(db)
    await db.schema.dropTable('chat_completion_tags').execute()
  },
}

async function createTerms(db: Db): Promise<void> {
  await db.schema
    .createTable('chat_completion_terms')
    .addColumn('completion_id', 'text', (column) => column.notNull().references('chat_completions.id'))
    .addColumn('project_id', 'text', (column) => column.notNull())
    .addColumn('position', 'bigint', (column) => column.notNull())
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('value', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('chat_completion_terms_key', ['completion_id', 'kind', 'name', 'value'])
    .execute()
  await db.schema
    .createIndex('chat_completion_terms_by_value')
    .on('chat_completion_terms')
    .columns(['project_id', 'kind', 'name', 'value', 'position', 'completion_id'])
    .execute()
}

async function fillTerms(db: Db): Promise<void> {
  const into = sql`insert into chat_completion_terms (completion_id, project_id, position, kind, name, value)`
  await sql`${into} select id, project_id, position, 'model', '', model from chat_completions`.execute(db)
  await sql`${into} select id, project_id, position, 'model', '', requested_model from chat_completions
    where requested_model <> model`.execute(db)
  await sql`${into} select id, project_id, position, 'metadata', tags.name, tags.value
    from chat_completion_tags as tags join chat_completions on id = completion_id`.execute(db)
}
