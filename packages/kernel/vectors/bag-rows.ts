// The words of chunks, as the database keeps them.
import type { Queries, Tx } from '../db/database.ts'
import { type BagRow, type CollectionRow, chunkId } from './rows.ts'

export interface WordedRow {
  id: number
  /** The owner's id. */
  owner: number
  bag: Uint8Array | null
  /** Where the bag is missing. */
  text: string | null
  heading: string | null
}

/** The words of chunks that were not removed, in the order of commits. */
export const selectWordsAfter = (
  queries: Queries,
  { id, last_number }: CollectionRow,
  after: number,
  limit: number,
): Promise<WordedRow[]> =>
  queries
    .selectFrom('vector_chunks')
    .innerJoin('vector_owners', 'vector_owners.id', 'vector_chunks.owner')
    .leftJoin('vector_bags', 'vector_bags.id', 'vector_chunks.id')
    .select(['vector_chunks.id', 'vector_chunks.owner', 'vector_bags.bag'])
    .select(({ eb }) => [
      eb.case().when('vector_bags.id', 'is', null).then(eb.ref('vector_chunks.text')).end().as('text'),
      eb.case().when('vector_bags.id', 'is', null).then(eb.ref('vector_chunks.heading')).end().as('heading'),
    ])
    .where('vector_chunks.id', '>', chunkId(id, after))
    .where('vector_chunks.id', '<=', chunkId(id, last_number))
    .orderBy('vector_chunks.id')
    .limit(limit)
    .execute()

export const selectBag = (queries: Queries, id: number): Promise<BagRow | undefined> =>
  queries.selectFrom('vector_bags').selectAll().where('id', '=', id).executeTakeFirst()

export async function insertBags(tx: Tx, rows: readonly BagRow[]): Promise<void> {
  await tx
    .insertInto('vector_bags')
    .values([...rows])
    .execute()
}

export async function deleteBags(tx: Tx, ids: readonly number[]): Promise<void> {
  await tx.deleteFrom('vector_bags').where('id', 'in', ids).execute()
}
