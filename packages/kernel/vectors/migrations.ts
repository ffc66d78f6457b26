import { type Kysely, PostgresAdapter, sql } from 'kysely'
import type { Migration } from '../db/migration.ts'

export const vectorMigrations: Migration[] = [
  { name: 'kernel/0004-vectors', up: createVectorTables },
  { name: 'kernel/0007-chunk-headings', up: addHeadings },
  { name: 'kernel/0008-chunk-words', up: keepWordsAsBags },
]

/** Rows of `vector_chunks` are in the order of their numbers on disk, and the vector lies before the text. */
async function createVectorTables(db: Kysely<unknown>): Promise<void> {
  const onPostgres = db.getExecutor().adapter instanceof PostgresAdapter
  const counted = onPostgres ? 'bigserial' : 'integer'
  await db.schema
    .createTable('vector_collections')
    .addColumn('id', counted, (column) => (onPostgres ? column.primaryKey() : column.primaryKey().autoIncrement()))
    .addColumn('name', 'text', (column) => column.notNull().unique())
    .addColumn('key', 'text', (column) => column.notNull())
    .addColumn('dimensions', 'bigint', (column) => column.notNull())
    .addColumn('last_number', 'bigint', (column) => column.notNull())
    .addColumn('chunks', 'bigint', (column) => column.notNull())
    .execute()
  await db.schema
    .createTable('vector_owners')
    .addColumn('id', counted, (column) => (onPostgres ? column.primaryKey() : column.primaryKey().autoIncrement()))
    .addColumn('collection', 'bigint', (column) => column.notNull())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('chunks', 'bigint', (column) => column.notNull())
    .addUniqueConstraint('vector_owners_name', ['collection', 'name'])
    .execute()
  await db.schema
    .createTable('vector_chunks')
    .addColumn('id', onPostgres ? 'bigint' : 'integer', (column) => column.primaryKey())
    .addColumn('owner', 'bigint', (column) => column.notNull())
    .addColumn('ordinal', 'bigint', (column) => column.notNull())
    .addColumn('vector', onPostgres ? 'bytea' : 'blob', (column) => column.notNull())
    .addColumn('text', 'text', (column) => column.notNull())
    .addUniqueConstraint('vector_chunks_ordinal', ['owner', 'ordinal'])
    .execute()
  await db.schema
    .createTable('vector_removals')
    .addColumn('owner', 'bigint', (column) => column.primaryKey())
    .execute()
  await (onPostgres ? createWordsOnPostgres(db) : createWordsOnSqlite(db))
}

async function addHeadings(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('vector_chunks')
    .addColumn('heading', 'text', (column) => column.notNull().defaultTo(''))
    .execute()
}

/** What older versions kept cannot tell how often a chunk holds a word: it is made anew from the texts, see renew.ts. */
async function keepWordsAsBags(db: Kysely<unknown>): Promise<void> {
  const onPostgres = db.getExecutor().adapter instanceof PostgresAdapter
  if (onPostgres) await sql`drop function vector_words_of(integer[], bigint)`.execute(db)
  await db.schema.dropTable('vector_words').execute()
  await db.schema
    .createTable('vector_bags')
    .addColumn('id', onPostgres ? 'bigint' : 'integer', (column) => column.primaryKey())
    .addColumn('bag', onPostgres ? 'bytea' : 'blob', (column) => column.notNull())
    .execute()
  await db.schema
    .createTable('vector_renewals')
    .addColumn('id', 'bigint', (column) => column.primaryKey())
    .addColumn('done', 'bigint', (column) => column.notNull())
    .addColumn('last', 'bigint', (column) => column.notNull())
    .execute()
  await sql`insert into vector_renewals (id, done, last)
    select 1, 0, max(id) from vector_chunks having max(id) is not null`.execute(db)
  if (onPostgres) await sql`alter table vector_bags alter column bag set storage external`.execute(db)
}

/** The words come already cut: the tokenizer has nothing to do but part them at spaces. */
async function createWordsOnSqlite(db: Kysely<unknown>): Promise<void> {
  await sql`create virtual table vector_words
    using fts5(words, content='', contentless_delete=1, detail=none, tokenize='ascii')`.execute(db)
  // By itself it would now and then clear up after deletions in one go, for seconds: word-rows.ts does it in steps.
  await sql`insert into vector_words (vector_words, rank) values ('deletemerge', 0)`.execute(db)
}

async function createWordsOnPostgres(db: Kysely<unknown>): Promise<void> {
  // Numbers of a vector do not compress: trying would only cost time.
  await sql`alter table vector_chunks alter column vector set storage external`.execute(db)
  await sql`create table vector_words (id bigint primary key, words integer[] not null)`.execute(db)
  // Searched while it grows: the list of what is still to be sorted in is read from end to end for every word.
  await sql`create index vector_words_words on vector_words using gin (words) with (gin_pending_list_limit = 256)`.execute(
    db,
  )
  // A function, because only there a setting can hold for one query. Without it PostgreSQL, which cannot know how rare a
  // word is, hopes to come across enough of them by reading the whole table.
  await sql`create function vector_words_of(asked integer[], most bigint)
    returns table (place bigint, ids double precision[]) language sql stable set enable_seqscan = off as $$
      select word.place, array_agg(held.id)::double precision[]
      from unnest(asked) with ordinality as word (number, place)
      cross join lateral (select id from vector_words where words @> array[word.number] limit most) as held
      group by word.place
    $$`.execute(db)
}
