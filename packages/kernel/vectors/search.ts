// Finds chunks by meaning and by words.
import type { Queries } from '../db/database.ts'
import { askedWords } from './asked-words.ts'
import { candidatesIn, type SearchNeeds } from './candidates.ts'
import { Fold } from './fold.ts'
import { fuse, type Scored } from './fuse.ts'
import { unit } from './numbers.ts'
import { type CollectionRow, collectionOf, selectChunks, selectCollections } from './rows.ts'
import { DimensionMismatch, type VectorHit, type VectorSearch } from './vectors.ts'

export async function searchVectors(needs: SearchNeeds, search: VectorSearch): Promise<VectorHit[]> {
  const { limit, owners, minScore = 0, meaningWeight = 1, wordsWeight = 1 } = search
  if (search.collections.length === 0 || limit < 1 || owners?.length === 0) return []
  // What does not count is not even compared: it may be of another model.
  const vector = meaningWeight === 0 ? undefined : unit(search.vector)
  const words = askedWords(search.text)
  const collections = await selectCollections(needs.queries, [...new Set(search.collections)])
  // Of equals the first: lists keep their own order.
  collections.sort((a, b) => a.id - b.id)
  const lists = collections.map(async (collection): Promise<Scored[]> => {
    const { name, dimensions } = collection
    if (vector && dimensions !== vector.length) throw new DimensionMismatch(name, dimensions, vector.length)
    const found = await candidatesIn(needs, collection, { vector, words, limit, owners })
    if (!found) return []
    const candidates = vector ? found.list : found.list.filter((candidate) => candidate.words > 0)
    return fuse(candidates, { ...found, meaningWeight, wordsWeight, limit })
  })
  const scored = (await Promise.all(lists)).flat().filter(({ score }) => score >= minScore)
  scored.sort((a, b) => b.score - a.score)
  return folded(needs.queries, collections, scored, limit)
}

/** The first `limit` that tell something new. */
async function folded(
  queries: Queries,
  collections: readonly CollectionRow[],
  scored: readonly Scored[],
  limit: number,
): Promise<VectorHit[]> {
  const fold = new Fold()
  for (let at = 0; at < scored.length && fold.hits.length < limit; ) {
    const some = scored.slice(at, at + limit - fold.hits.length)
    at += some.length
    for (const hit of await withTexts(queries, collections, some)) fold.add(hit)
  }
  return fold.hits
}

async function withTexts(
  queries: Queries,
  collections: readonly CollectionRow[],
  scored: readonly Scored[],
): Promise<VectorHit[]> {
  const names = new Map(collections.map(({ id, name }) => [id, name]))
  const ids = scored.map(({ id }) => id)
  const found = new Map((await selectChunks(queries, ids)).map((chunk) => [chunk.id, chunk]))
  return scored.flatMap(({ id, score }): VectorHit[] => {
    const chunk = found.get(id)
    const collection = names.get(collectionOf(id))
    if (!chunk || collection === undefined) return []
    const { owner, ordinal, text, heading } = chunk
    return [{ collection, owner, ordinal, text, heading, score }]
  })
}
