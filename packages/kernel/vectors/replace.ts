// Puts other vectors in the place of those a collection has, made of the same texts by another model. Until the last one
// is replaced they cannot be compared with one another: whoever replaces them lets nobody search by meaning meanwhile.
import type { Queries, Tx } from '../db/database.ts'
import { toBytes, unit } from './numbers.ts'
import { type CollectionRow, chunkId, idRange, numberOf, selectCollections } from './rows.ts'
import { DimensionMismatch, type NumberedChunk, type NumberedVector } from './vectors.ts'

/** Those that follow the one with the number `after`, in their order. */
export async function chunksAfter(
  queries: Queries,
  name: string,
  after: number,
  limit: number,
): Promise<NumberedChunk[]> {
  const [collection] = await selectCollections(queries, [name])
  if (!collection) return []
  const rows = await queries
    .selectFrom('vector_chunks')
    .innerJoin('vector_owners', 'vector_owners.id', 'vector_chunks.owner')
    .select(['vector_chunks.id', 'vector_chunks.text', 'vector_chunks.heading'])
    .where('vector_chunks.id', '>', chunkId(collection.id, after))
    .where('vector_chunks.id', '<=', idRange(collection.id).to)
    .orderBy('vector_chunks.id')
    .limit(limit)
    .execute()
  return rows.map(({ id, text, heading }) => ({ number: numberOf(id), text, heading }))
}

/** Chunks that were removed meanwhile are passed by. */
export async function replaceVectors(tx: Tx, name: string, vectors: readonly NumberedVector[]): Promise<void> {
  const [collection] = await selectCollections(tx, [name])
  if (!collection) return
  for (const { number, vector } of vectors) {
    const { dimensions } = collection
    if (vector.length !== dimensions) throw new DimensionMismatch(name, dimensions, vector.length)
    await tx
      .updateTable('vector_chunks')
      .set({ vector: toBytes(unit(vector)) })
      .where('id', '=', chunkId(collection.id, number))
      .execute()
  }
}

/**
 * Caches of the old vectors are never asked again: the collection has another key from the commit on. Undefined when
 * there are chunks after `last`, and nothing is done; else the collection as it was, if there is one.
 */
export async function endReplacing(
  tx: Tx,
  name: string,
  last: number,
  newKey: string,
): Promise<{ before: CollectionRow | undefined } | undefined> {
  const [before] = await selectCollections(tx, [name])
  if (!before) return { before }
  // Taken before the look: nobody adds until the commit.
  await tx.updateTable('vector_collections').set({ key: newKey }).where('id', '=', before.id).execute()
  const [more] = await chunksAfter(tx, name, last, 1)
  if (!more) return { before }
  await tx.updateTable('vector_collections').set({ key: before.key }).where('id', '=', before.id).execute()
  return undefined
}
