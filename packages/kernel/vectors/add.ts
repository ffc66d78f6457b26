// Adds chunks in the caller's transaction.
import { sql } from 'kysely'
import type { Tx } from '../db/database.ts'
import { together } from '../db/together.ts'
import { bagOf } from './bag.ts'
import { insertBags } from './bag-rows.ts'
import { toBytes, unit } from './numbers.ts'
import { type ChunkRow, type CollectionRow, chunkId, insertChunks, type OwnerRow } from './rows.ts'
import { DimensionMismatch, type VectorChunk } from './vectors.ts'
import type { WordCutter, WordedText } from './word-cutter.ts'

/** So that cutting their texts into words keeps nobody waiting. */
const chunksPerStatement = 16
/** What the index can hold in a sensible amount of memory; the widest embeddings have 3,072. */
const maxDimensions = 16_384

interface Place {
  collection: string
  owner: string
}

export async function withWords<Chunk extends VectorChunk>(
  cutter: WordCutter,
  chunks: readonly Chunk[],
): Promise<Chunk[]> {
  const bags = await cutter.bags(chunks.map(wordedIn))
  return chunks.map((chunk, at) => ({ ...chunk, bag: bags[at] }))
}

const wordedIn = ({ text, heading = '' }: VectorChunk): WordedText => ({
  text: storable(text),
  heading: storable(heading),
})

function bagIn(chunk: VectorChunk): Uint8Array {
  const { text, heading } = wordedIn(chunk)
  return chunk.bag ?? bagOf(text, heading)
}

/** Returns the collection as it is then; undefined when everything was there already. */
export async function addChunks(
  tx: Tx,
  newKey: () => string,
  place: Place,
  chunks: readonly VectorChunk[],
): Promise<CollectionRow | undefined> {
  const dimensions = dimensionsOf(place.collection, chunks)
  if (chunks.length === 0) return undefined
  const grown = await grow(tx, newKey, place, dimensions, chunks.length)
  const present = grown.owner.chunks - chunks.length
  const fresh = chunks.filter(({ ordinal }) => ordinal >= present)
  refuseGaps(place.owner, present, fresh)
  const known = chunks.length - fresh.length
  const { collection, owner } = known === 0 ? grown : await shrink(tx, place, known)
  if (fresh.length === 0) return undefined
  const firstNumber = collection.last_number - fresh.length + 1
  for (let start = 0; start < fresh.length; start += chunksPerStatement) {
    const some = fresh.slice(start, start + chunksPerStatement)
    const rows = some.map(
      ({ ordinal, text, heading, vector }, index): ChunkRow => ({
        id: chunkId(collection.id, firstNumber + start + index),
        owner: owner.id,
        ordinal,
        vector: toBytes(unit(vector)),
        text: storable(text),
        heading: storable(heading ?? ''),
      }),
    )
    const bags = some.map((chunk, index) => ({ id: rows[index]?.id ?? 0, bag: bagIn(chunk) }))
    await together([insertChunks(tx, rows), insertBags(tx, bags)])
  }
  return collection
}

function dimensionsOf(collection: string, chunks: readonly VectorChunk[]): number {
  const dimensions = chunks[0]?.vector.length ?? 0
  if (chunks.length > 0 && (dimensions === 0 || dimensions > maxDimensions)) {
    throw new Error(`a vector can have from 1 to ${maxDimensions} dimensions, not ${dimensions}`)
  }
  const other = chunks.find(({ vector }) => vector.length !== dimensions)
  if (other) throw new DimensionMismatch(collection, dimensions, other.vector.length)
  return dimensions
}

function refuseGaps(owner: string, present: number, fresh: readonly VectorChunk[]): void {
  const wrong = fresh.findIndex(({ ordinal }, index) => ordinal !== present + index)
  if (wrong === -1) return
  throw new Error(`chunk ${fresh[wrong]?.ordinal} of ${owner} cannot be added: ${present + wrong} comes next`)
}

interface Grown {
  collection: CollectionRow
  owner: Pick<OwnerRow, 'id' | 'chunks'>
}

/**
 * Takes the collection's row until the commit: nobody else gets numbers meanwhile, so none is committed after a greater
 * one. What is not there yet is seen by the answer: all others have one wait less.
 */
async function grow(tx: Tx, newKey: () => string, place: Place, dimensions: number, by: number): Promise<Grown> {
  const name = place.collection
  const [known, owner] = await together([growCollection(tx, name, by), growOwner(tx, place, by)])
  if (known !== undefined && owner !== undefined) {
    if (known.dimensions !== dimensions) throw new DimensionMismatch(name, known.dimensions, dimensions)
    return { collection: known, owner }
  }
  const row = { name, key: newKey(), dimensions, last_number: by, chunks: by }
  const added = tx.insertInto('vector_collections').values(row).returningAll().executeTakeFirstOrThrow()
  return grownTogether(added, growOwner(tx, place, by))
}

/** So many were there already. */
const shrink = (tx: Tx, place: Place, by: number): Promise<Grown> =>
  grownTogether(growCollection(tx, place.collection, -by), growOwner(tx, place, -by))

async function grownTogether(
  growing: Promise<CollectionRow | undefined>,
  growingOwner: Promise<Grown['owner'] | undefined>,
): Promise<Grown> {
  const [collection, owner] = await together([growing, growingOwner])
  if (collection === undefined || owner === undefined) throw new Error('the collection of the chunks is gone')
  return { collection, owner }
}

const growCollection = (tx: Tx, name: string, by: number): Promise<CollectionRow | undefined> =>
  tx
    .updateTable('vector_collections')
    .set((eb) => ({ last_number: eb('last_number', '+', by), chunks: eb('chunks', '+', by) }))
    .where('name', '=', name)
    .returningAll()
    .executeTakeFirst()

/** Undefined where there is no such collection. */
const growOwner = (tx: Tx, { collection, owner }: Place, by: number): Promise<Grown['owner'] | undefined> =>
  tx
    .insertInto('vector_owners')
    .columns(['collection', 'name', 'chunks'])
    .expression(
      tx
        .selectFrom('vector_collections')
        .select(['id', sql<string>`cast(${owner} as text)`.as('owner'), sql<number>`cast(${by} as bigint)`.as('by')])
        .where('name', '=', collection),
    )
    .onConflict((conflict) =>
      conflict.columns(['collection', 'name']).doUpdateSet((eb) => ({ chunks: eb('vector_owners.chunks', '+', by) })),
    )
    .returning(['id', 'chunks'])
    .executeTakeFirst()

/** PostgreSQL keeps no zero characters, and neither database half a character. */
const storable = (text: string): string => text.replaceAll('\0', '\ufffd').toWellFormed()
