// Reads from the rows what the index thread lacks of a collection.
import type { Queries } from '../db/database.ts'
import { bagOf } from './bag.ts'
import { selectBag, selectWordsAfter, type WordedRow } from './bag-rows.ts'
import type { IndexRequest, ShelfState, WordedChunks, WordsState } from './index-protocol.ts'
import { place, sumOf } from './numbers.ts'
import {
  type CollectionRow,
  chunkId,
  numberOf,
  type StoredVector,
  selectChunks,
  selectOwnersIn,
  selectVectors,
  selectVectorsAfter,
} from './rows.ts'
import { strideFor } from './stride.ts'

const bytesPerPage = 256 * 1024
const wordedPerPage = 256
/** Taken in in a millisecond or so: a search may have to wait for one such step. */
const wordedPerStep = 64

/** Tells the thread, as long as the shelf is still the one that was meant. */
export type Tell = (request: Exclude<IndexRequest, { kind: 'search' }>) => Promise<ShelfState>

interface Bringing {
  queries: Queries
  collection: CollectionRow
  tell: Tell
}

/** Chunks after the number `after`. */
export async function bringVectors({ queries, collection, tell }: Bringing, after: number): Promise<void> {
  const { key, dimensions } = collection
  const rows = Math.max(8, Math.floor(bytesPerPage / (dimensions * 4)))
  for (let last = after, more = last < collection.last_number; more; ) {
    const page = await selectVectorsAfter(queries, collection, last, rows)
    if (page.length > 0) last = (await tell({ kind: 'extend', key, ...packed(page, dimensions) })).last
    more = page.length === rows
  }
}

/** Chunks after the number `after`. */
export async function bringWords({ queries, collection, tell }: Bringing, after: number): Promise<void> {
  for (let last = after, more = last < collection.last_number; more; ) {
    const page = await selectWordsAfter(queries, collection, last, wordedPerPage)
    for (let at = 0; at < page.length; at += wordedPerStep) {
      const chunks = wordsIn(page.slice(at, at + wordedPerStep))
      last = (await tell({ kind: 'words', key: collection.key, chunks })).words.last
    }
    more = page.length === wordedPerPage
  }
}

const wordsIn = (rows: readonly WordedRow[]): WordedChunks => ({
  numbers: Float64Array.from(rows, ({ id }) => numberOf(id)),
  owners: Float64Array.from(rows, ({ owner }) => owner),
  bags: rows.map(bagIn),
})

/** A copy: rows of one answer may share their memory, which would travel along with each of them. */
const bagIn = ({ bag, text, heading }: WordedRow) =>
  bag === null ? { text: text ?? '', heading: heading ?? '' } : Uint8Array.from(bag)

/** Which owners there are: the thread holds chunks of others, too. */
export async function bringOwners({ queries, collection, tell }: Bringing): Promise<void> {
  const owners = Float64Array.from(await selectOwnersIn(queries, collection.id))
  await tell({ kind: 'owners', key: collection.key, owners })
}

/** Some of the vectors that were loaded from a file up to the number `last`. */
export async function bringSample({ queries, collection, tell }: Bringing, last: number): Promise<void> {
  const stride = strideFor(last)
  const numbers = Array.from({ length: Math.floor(last / stride) }, (_, at) => (at + 1) * stride)
  const rows = await selectVectors(
    queries,
    numbers.map((number) => chunkId(collection.id, number)),
  )
  rows.sort((a, b) => a.id - b.id)
  await tell({ kind: 'sample', key: collection.key, stride, ...packed(rows, collection.dimensions) })
}

/** A database restored from an older copy has given the same numbers to other chunks, or not yet given them. */
export async function isOfTheseRows(queries: Queries, state: ShelfState, collection: CollectionRow): Promise<boolean> {
  return (await areTheseVectors(queries, state, collection)) && areTheseWords(queries, state.words, collection)
}

async function areTheseVectors(
  queries: Queries,
  { last, lastVectorSum }: ShelfState,
  collection: CollectionRow,
): Promise<boolean> {
  if (last === 0 || lastVectorSum === undefined) return true
  if (last > collection.last_number) return false
  const [row] = await selectVectors(queries, [chunkId(collection.id, last)])
  return row === undefined || sumOf(row.vector) === lastVectorSum
}

async function areTheseWords(
  queries: Queries,
  { last, lastBagSum }: WordsState,
  collection: CollectionRow,
): Promise<boolean> {
  if (last === 0 || lastBagSum === undefined) return true
  if (last > collection.last_number) return false
  const id = chunkId(collection.id, last)
  const row = await selectBag(queries, id)
  if (row !== undefined) return sumOf(row.bag) === lastBagSum
  const [chunk] = await selectChunks(queries, [id])
  return chunk === undefined || sumOf(bagOf(chunk.text, chunk.heading)) === lastBagSum
}

function packed(rows: readonly StoredVector[], dimensions: number): { numbers: Float64Array; vectors: Float32Array } {
  const vectors = new Float32Array(rows.length * dimensions)
  for (const [row, { vector }] of rows.entries()) place(vector, vectors, row)
  return { numbers: Float64Array.from(rows, ({ id }) => numberOf(id)), vectors }
}
