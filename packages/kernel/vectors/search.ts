// Finds chunks by meaning and by words. Caches only propose; the rows say what exists and how near it is.
import type { Queries } from '../db/database.ts'
import { type Candidate, fuse } from './fuse.ts'
import type { Keywords } from './keywords.ts'
import { dot, fromBytes, unit } from './numbers.ts'
import { nearestOfOwners } from './owned.ts'
import {
  type CollectionRow,
  chunkId,
  collectionOf,
  type StoredVector,
  selectChunks,
  selectCollections,
  selectVectors,
} from './rows.ts'
import type { Shelves } from './shelves.ts'
import { DimensionMismatch, type VectorHit, type VectorSearch } from './vectors.ts'

/** How many each of the two lists has at least: places beyond add next to nothing. */
const minCandidates = 50
/** When this many proposals hold not enough that still exist, fewer are given. */
const maxProposals = 8_192

export interface SearchNeeds {
  queries: Queries
  shelves: Shelves
  keywords: Keywords
}

export async function searchVectors(needs: SearchNeeds, search: VectorSearch): Promise<VectorHit[]> {
  if (search.collections.length === 0 || search.limit < 1 || search.owners?.length === 0) return []
  const query = unit(search.vector)
  const collections = await selectCollections(needs.queries, [...new Set(search.collections)])
  for (const { name, dimensions } of collections) {
    if (dimensions !== query.length) throw new DimensionMismatch(name, dimensions, query.length)
  }
  const lists = await Promise.all(collections.map((collection) => candidatesIn(needs, collection, query, search)))
  const best = fuse(lists.flat(), search.limit, search.minScore ?? 0)
  return withTexts(needs.queries, collections, best)
}

async function candidatesIn(
  needs: SearchNeeds,
  collection: CollectionRow,
  query: Float32Array,
  { text, limit, owners }: VectorSearch,
): Promise<Candidate[]> {
  const agreement = needs.keywords.agreement(needs.queries, collection, text)
  // Awaited below; when the other fails first, this one's failure is nobody's.
  agreement.catch(() => {})
  const count = Math.max(minCandidates, limit * 2)
  if (owners) {
    return nearestOfOwners(needs.queries, collection, owners, query, count, await agreement)
  }
  const near = await nearest(needs, collection, query, count, limit)
  const agreed = await agreement
  const known = new Set(near.map(({ id }) => id))
  const worded = strongest(agreed, count).filter((id) => !known.has(id))
  const rows = near.concat(await selectVectors(needs.queries, worded))
  return rows.map(({ id, vector }) => candidateOf(id, vector, query, agreed))
}

/** Asks for more while too many of those proposed are gone. */
async function nearest(
  { shelves, queries }: SearchNeeds,
  collection: CollectionRow,
  query: Float32Array,
  count: number,
  needed: number,
): Promise<StoredVector[]> {
  for (let asked = count; ; asked *= 4) {
    const { numbers, all } = await shelves.search(collection, query, asked)
    const ids = Array.from(numbers, (number) => chunkId(collection.id, number))
    const rows = await selectVectors(queries, ids)
    if (rows.length >= needed || all || asked >= maxProposals) return rows
  }
}

function strongest(agreement: ReadonlyMap<number, number>, count: number): number[] {
  return [...agreement]
    .sort((a, b) => b[1] - a[1])
    .slice(0, count)
    .map(([id]) => id)
}

const candidateOf = (
  id: number,
  vector: Uint8Array,
  query: Float32Array,
  agreement: ReadonlyMap<number, number>,
): Candidate => ({ id, cosine: dot(query, fromBytes(vector)), agreement: agreement.get(id) ?? 0 })

async function withTexts(
  queries: Queries,
  collections: readonly CollectionRow[],
  best: readonly { id: number; score: number }[],
): Promise<VectorHit[]> {
  const names = new Map(collections.map(({ id, name }) => [id, name]))
  const chunks = await selectChunks(
    queries,
    best.map(({ id }) => id),
  )
  const found = new Map(chunks.map((chunk) => [chunk.id, chunk]))
  return best.flatMap(({ id, score }): VectorHit[] => {
    const chunk = found.get(id)
    const collection = names.get(collectionOf(id))
    if (!chunk || collection === undefined) return []
    return [{ collection, owner: chunk.owner, ordinal: chunk.ordinal, text: chunk.text, score }]
  })
}
