// The candidates of one collection: those that the index thread proposes by meaning and by words, each with both
// measures. How near the nearest are the index knows; of those found by their words the rows say it. Proposals may be
// gone: whoever reads their texts sees it.
import type { Queries } from '../db/database.ts'
import type { Candidate, Usual } from './fuse.ts'
import type { AskedWords, Found } from './index-protocol.ts'
import { dot, fromBytes } from './numbers.ts'
import { nearestOfOwners } from './owned.ts'
import { type CollectionRow, chunkId, type OwnerSize, selectOwnerSizes, selectVectors } from './rows.ts'
import type { Shelves } from './shelves.ts'

/** How many each of the two lists has at least: places beyond add next to nothing. */
const minCandidates = 50
/** When this many proposals hold not enough that still exist, fewer are given. */
const maxProposals = 8_192
/** So many chunks of the owners asked for are compared one by one. */
const maxComparedChunks = 2_000

export interface SearchNeeds {
  queries: Queries
  shelves: Pick<Shelves, 'search'>
}

export interface Question {
  /** Undefined: by words alone. */
  vector: Float32Array | undefined
  words: AskedWords
  limit: number
  owners?: readonly string[] | undefined
}

export interface FoundCandidates extends Pick<Usual, 'spread' | 'words'> {
  list: Candidate[]
}

export async function candidatesIn(
  needs: SearchNeeds,
  collection: CollectionRow,
  question: Question,
): Promise<FoundCandidates | undefined> {
  const { limit, owners } = question
  if (!owners) return proposed(needs, collection, question, limit)
  const sizes = await selectOwnerSizes(needs.queries, collection.id, owners)
  const chunks = sizes.reduce((sum, size) => sum + size.chunks, 0)
  if (chunks === 0) return undefined
  const words = { ...question.words, among: Float64Array.from(sizes, ({ id }) => id) }
  const among = { ...question, words }
  if (chunks <= maxComparedChunks) return compared(needs, collection, among, sizes, chunks)
  const found = await proposed(needs, collection, among, Math.min(limit, chunks))
  return found.list.length >= limit ? found : compared(needs, collection, among, sizes, chunks)
}

/** Asks for more while too many of those proposed are gone. */
async function proposed(
  { shelves, queries }: SearchNeeds,
  collection: CollectionRow,
  { vector, words, limit }: Question,
  needed: number,
): Promise<FoundCandidates> {
  for (let asked = Math.max(minCandidates, limit * 2); ; asked *= 4) {
    const found = await shelves.search(collection, vector, words, asked)
    const worded = wordedIn(collection, found)
    const near = nearIn(collection, found, worded)
    const isNear = new Set(near.map(({ id }) => id))
    const others = [...worded.scores.keys()].filter((id) => !isNear.has(id))
    const rows = others.length === 0 ? [] : await selectVectors(queries, others)
    const list = [...near, ...rows.map((row) => candidateOf(row, vector, worded))]
    if (list.length < needed && !found.all && asked < maxProposals) continue
    return { list, spread: found.spread, words: found.words }
  }
}

/** Every chunk of the owners. */
async function compared(
  { shelves, queries }: SearchNeeds,
  collection: CollectionRow,
  { vector, words, limit }: Question,
  owners: readonly OwnerSize[],
  chunks: number,
): Promise<FoundCandidates> {
  const found = await shelves.search(collection, vector, words, chunks)
  const worded = wordedIn(collection, found)
  const ids = owners.map(({ id }) => id)
  const count = Math.max(minCandidates, limit * 2)
  const list = await nearestOfOwners(queries, ids, count, (row) => candidateOf(row, vector, worded))
  return { list, spread: found.spread, words: found.words }
}

/** By the ids of chunks. */
interface Worded {
  scores: ReadonlyMap<number, number>
  named: ReadonlySet<number>
}

function wordedIn({ id }: CollectionRow, { near, words }: Found): Worded {
  const scores = new Map<number, number>()
  for (const [at, number] of near.entries()) scores.set(chunkId(id, number), words.wanted[at] ?? 0)
  for (const [at, number] of words.numbers.entries()) scores.set(chunkId(id, number), words.scores[at] ?? 0)
  return { scores, named: new Set(Array.from(words.named, (number) => chunkId(id, number))) }
}

/** The index has told how near these are. */
const nearIn = ({ id }: CollectionRow, { near, cosines }: Found, { scores, named }: Worded): Candidate[] =>
  Array.from(near, (number, at): Candidate => {
    const chunk = chunkId(id, number)
    return { id: chunk, cosine: cosines[at] ?? 0, words: scores.get(chunk) ?? 0, isNamed: named.has(chunk) }
  })

const candidateOf = (
  { id, vector }: { id: number; vector: Uint8Array },
  query: Float32Array | undefined,
  { scores, named }: Worded,
): Candidate => ({
  id,
  cosine: query ? dot(query, fromBytes(vector)) : 0,
  words: scores.get(id) ?? 0,
  isNamed: named.has(id),
})
