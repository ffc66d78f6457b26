// The rows behind vectors. A chunk's id is its collection's id and its number in one: chunks of a collection lie
// together, in the order in which they were committed.
import type { Generated } from 'kysely'
import type { Queries, Tx } from '../db/database.ts'

export interface CollectionRow {
  id: number
  name: string
  /** Never used twice, unlike names: what caches are named by. */
  key: string
  dimensions: number
  /** The greatest number given to a chunk so far. Whoever adds holds this row, so numbers grow in the order of commits. */
  last_number: number
  /** How many chunks there are. */
  chunks: number
}

export interface OwnerRow {
  id: number
  collection: number
  name: string
  /** The ordinals below this one are there. */
  chunks: number
}

export interface ChunkRow {
  id: number
  owner: number
  ordinal: number
  /** Float32 numbers, the lowest byte first. */
  vector: Uint8Array
  text: string
  heading: string
}

/** The words of a chunk: see bag.ts. One may be missing for a while: then they are read from the text. */
export interface BagRow {
  /** Of the chunk. */
  id: number
  bag: Uint8Array
}

declare module '../db/database.ts' {
  interface Tables {
    vector_collections: Omit<CollectionRow, 'id'> & { id: Generated<number> }
    vector_owners: Omit<OwnerRow, 'id'> & { id: Generated<number> }
    vector_chunks: ChunkRow
    vector_bags: BagRow
    /** Chunks after `done` up to `last` whose bags are to be made anew; one row, or none. */
    vector_renewals: { id: number; done: number; last: number }
    /** Owners that are gone and whose chunks are still to be deleted. */
    vector_removals: { owner: number }
  }
}

/** Of both there can be more than anyone will need, and ids stay exact as JavaScript numbers. */
const numbersPerCollection = 2 ** 28
const maxCollections = 2 ** 25

export function chunkId(collection: number, number: number): number {
  if (number >= numbersPerCollection) throw new Error('a collection cannot take more than 268 million chunks')
  if (collection >= maxCollections) throw new Error('there cannot be more than 33 million collections')
  return collection * numbersPerCollection + number
}

export const collectionOf = (chunk: number): number => Math.floor(chunk / numbersPerCollection)
export const numberOf = (chunk: number): number => chunk % numbersPerCollection

/** All ids a collection's chunks can have. */
export const idRange = (collection: number): { from: number; to: number } => ({
  from: chunkId(collection, 0),
  to: chunkId(collection, numbersPerCollection - 1),
})

export const selectCollections = (queries: Queries, names: readonly string[]): Promise<CollectionRow[]> =>
  queries.selectFrom('vector_collections').selectAll().where('name', 'in', padded(names)).execute()

export async function selectKeys(queries: Queries): Promise<string[]> {
  const rows = await queries.selectFrom('vector_collections').select('key').execute()
  return rows.map(({ key }) => key)
}

export const selectOwner = (queries: Queries, collection: string, owner: string): Promise<OwnerRow | undefined> =>
  queries
    .selectFrom('vector_owners')
    .innerJoin('vector_collections', 'vector_collections.id', 'vector_owners.collection')
    .selectAll('vector_owners')
    .where('vector_collections.name', '=', collection)
    .where('vector_owners.name', '=', owner)
    .executeTakeFirst()

/** Those of them that are there. */
export const selectOwners = (queries: Queries, collection: string, owners: readonly string[]): Promise<OwnerRow[]> =>
  queries
    .selectFrom('vector_owners')
    .innerJoin('vector_collections', 'vector_collections.id', 'vector_owners.collection')
    .selectAll('vector_owners')
    .where('vector_collections.name', '=', collection)
    .where('vector_owners.name', 'in', padded(owners))
    .execute()

export type StoredVector = Pick<ChunkRow, 'id' | 'vector'>

/** In the order of commits. */
export const selectVectorsAfter = (
  queries: Queries,
  { id, last_number }: CollectionRow,
  after: number,
  limit: number,
): Promise<StoredVector[]> =>
  queries
    .selectFrom('vector_chunks')
    .innerJoin('vector_owners', 'vector_owners.id', 'vector_chunks.owner')
    .select(['vector_chunks.id', 'vector_chunks.vector'])
    .where('vector_chunks.id', '>', chunkId(id, after))
    .where('vector_chunks.id', '<=', chunkId(id, last_number))
    .orderBy('vector_chunks.id')
    .limit(limit)
    .execute()

const idsPerStatement = 512

/** The vectors of those that have not been removed. */
export async function selectVectors(queries: Queries, ids: readonly number[]): Promise<StoredVector[]> {
  const found: StoredVector[] = []
  for (let start = 0; start < ids.length; start += idsPerStatement) {
    const rows = await queries
      .selectFrom('vector_chunks')
      .innerJoin('vector_owners', 'vector_owners.id', 'vector_chunks.owner')
      .select(['vector_chunks.id', 'vector_chunks.vector'])
      .where('vector_chunks.id', 'in', padded(ids.slice(start, start + idsPerStatement)))
      .execute()
    found.push(...rows)
  }
  return found
}

export interface FoundChunk {
  id: number
  owner: string
  ordinal: number
  text: string
  heading: string
}

export async function selectChunks(queries: Queries, ids: readonly number[]): Promise<FoundChunk[]> {
  const found: FoundChunk[] = []
  for (let start = 0; start < ids.length; start += idsPerStatement) {
    const rows = await queries
      .selectFrom('vector_chunks')
      .innerJoin('vector_owners', 'vector_owners.id', 'vector_chunks.owner')
      .select(['vector_chunks.id', 'vector_owners.name as owner', 'ordinal', 'text', 'heading'])
      .where('vector_chunks.id', 'in', padded(ids.slice(start, start + idsPerStatement)))
      .execute()
    found.push(...rows)
  }
  return found
}

export type OwnerSize = Pick<OwnerRow, 'id' | 'chunks'>

export async function selectOwnerSizes(
  queries: Queries,
  collection: number,
  names: readonly string[],
): Promise<OwnerSize[]> {
  const found: OwnerSize[] = []
  for (let start = 0; start < names.length; start += idsPerStatement) {
    const rows = await queries
      .selectFrom('vector_owners')
      .select(['id', 'chunks'])
      .where('collection', '=', collection)
      .where('name', 'in', padded(names.slice(start, start + idsPerStatement)))
      .execute()
    found.push(...rows)
  }
  return found
}

export async function selectOwnersIn(queries: Queries, collection: number): Promise<number[]> {
  const rows = await queries.selectFrom('vector_owners').select('id').where('collection', '=', collection).execute()
  return rows.map(({ id }) => id)
}

/** The chunks of one owner, in their order, a page at a time. */
export const selectOwned = (queries: Queries, owner: number, after: number, limit: number) =>
  queries
    .selectFrom('vector_chunks')
    .innerJoin('vector_owners', 'vector_owners.id', 'vector_chunks.owner')
    .select(['vector_chunks.id', 'vector_chunks.ordinal', 'vector_chunks.vector'])
    .where('vector_chunks.owner', '=', owner)
    .where('ordinal', '>', after)
    .orderBy('ordinal')
    .limit(limit)
    .execute()

export async function insertChunks(tx: Tx, rows: readonly ChunkRow[]): Promise<void> {
  await tx
    .insertInto('vector_chunks')
    .values([...rows])
    .execute()
}

/** To a power of two, by saying the last one again: a list of any length would be a statement of its own to prepare. */
function padded<T>(list: readonly T[]): T[] {
  const length = 2 ** Math.ceil(Math.log2(Math.max(1, list.length)))
  return [...list, ...new Array<T>(length - list.length).fill(list.at(-1) as T)]
}

/** In the order of the chunks. */
export async function selectTexts(queries: Queries, owner: number, limit: number): Promise<string[]> {
  const rows = await queries
    .selectFrom('vector_chunks')
    .select('text')
    .where('owner', '=', owner)
    .orderBy('ordinal')
    .limit(limit)
    .execute()
  return rows.map(({ text }) => text)
}
