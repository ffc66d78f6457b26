// Which chunks hold which words, as the database keeps it. The one place where the two databases differ.
import { sql } from 'kysely'
import type { Database, Queries, Tx } from '../db/database.ts'
import { collectionOf, idRange } from './rows.ts'

export interface WordRows {
  insert(tx: Tx, chunks: readonly WordedChunk[]): Promise<void>
  delete(tx: Tx, ids: readonly number[]): Promise<void>
  /** Gives back the room of what was deleted, a little at a time. Whether there is more. */
  tidy(tx: Tx, isFirst: boolean): Promise<boolean>
  /** For each word the ids of chunks of the collection that hold it, at most `limit`, some of them perhaps removed. */
  find(queries: Queries, collection: number, words: readonly string[], limit: number): Promise<number[][]>
}

export interface WordedChunk {
  id: number
  collection: number
  words: ReadonlySet<string>
}

export const createWordRows = (kind: Database['kind']): WordRows =>
  kind === 'sqlite' ? sqliteWordRows : postgresWordRows

/** Some milliseconds of the writer thread's time. A negative number of pages begins, with all there is. */
const pagesPerStep = 100

async function changes(tx: Tx): Promise<number> {
  const { rows } = await sql<{ count: number }>`select total_changes() as count`.execute(tx)
  return rows[0]?.count ?? 0
}

/** Full-text search. Words are letters and digits; in quotes none of them is an operator. */
const sqliteWordRows: WordRows = {
  async insert(tx, chunks) {
    const rows = chunks.map(({ id, words }) => sql`(${id}, ${[...words].join(' ')})`)
    await sql`insert into vector_words (rowid, words) values ${sql.join(rows)}`.execute(tx)
  },
  async delete(tx, ids) {
    await sql`delete from vector_words where rowid in (${sql.join(ids)})`.execute(tx)
  },
  async tidy(tx, isFirst) {
    const before = await changes(tx)
    const pages = sql.raw(String(isFirst ? -pagesPerStep : pagesPerStep))
    await sql`insert into vector_words (vector_words, rank) values ('merge', ${pages})`.execute(tx)
    // The statement itself counts as one.
    return (await changes(tx)) - before > 1
  },
  async find(queries, collection, words, limit) {
    const { from, to } = idRange(collection)
    const lists = words.map(async (word) => {
      const { rows } = await sql<{ ids: string }>`
        select json_group_array(rowid) as ids from (
          select rowid from vector_words where vector_words match ${`"${word}"`}
            and rowid between ${from} and ${to} limit ${limit})`.execute(queries)
      return JSON.parse(rows[0]?.ids ?? '[]') as number[]
    })
    return Promise.all(lists)
  },
}

/**
 * Arrays of numbers, one for each word of a collection: small, and a word that is common elsewhere costs nothing here.
 * Two words with one number are so rare that a wrong chunk now and then does no harm; ids keep collections apart.
 */
const postgresWordRows: WordRows = {
  async insert(tx, chunks) {
    const rows = chunks.map(({ id, collection, words }) => sql`(${id}, ${numbersOf(collection, words)}::integer[])`)
    await sql`insert into vector_words (id, words) values ${sql.join(rows)}`.execute(tx)
  },
  async delete(tx, ids) {
    await sql`delete from vector_words where id in (${sql.join(ids)})`.execute(tx)
  },
  // PostgreSQL does it by itself.
  tidy: async () => false,
  async find(queries, collection, words, limit) {
    const { rows } = await sql<{ place: number; ids: number[] }>`
      select place, ids from vector_words_of(${numbersOf(collection, words)}::integer[], ${limit})`.execute(queries)
    const found = new Map(rows.map(({ place, ids }) => [place - 1, ids]))
    return words.map((_, place) => (found.get(place) ?? []).filter((id) => collectionOf(id) === collection))
  },
}

/** As the text PostgreSQL reads arrays from. */
function numbersOf(collection: number, words: Iterable<string>): string {
  const numbers: number[] = []
  for (const word of words) numbers.push(numberOfWord(collection, word))
  return `{${numbers.join(',')}}`
}

/** Any good spread over 32 bits will do, but it is stored: it must stay as it is. */
function numberOfWord(collection: number, word: string): number {
  let hash = Math.imul(collection, 0x9e3779b1) ^ 0x811c9dc5
  for (let at = 0; at < word.length; at++) hash = Math.imul(hash ^ word.charCodeAt(at), 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) | 0
}
