// Adds chunks in the caller's transaction.
import type { Tx } from '../db/database.ts'
import { together } from '../db/together.ts'
import { bagOf } from './bag.ts'
import { insertBags } from './bag-rows.ts'
import { toBytes, unit } from './numbers.ts'
import { type ChunkRow, type CollectionRow, chunkId, insertChunks, selectCollections, selectOwner } from './rows.ts'
import { DimensionMismatch, type VectorChunk } from './vectors.ts'
import type { WordCutter, WordedText } from './word-cutter.ts'

/** So that cutting their texts into words keeps nobody waiting. */
const chunksPerStatement = 16
/** What the index can hold in a sensible amount of memory; the widest embeddings have 3,072. */
const maxDimensions = 16_384

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
  place: { collection: string; owner: string },
  chunks: readonly VectorChunk[],
): Promise<CollectionRow | undefined> {
  const dimensions = dimensionsOf(place.collection, chunks)
  const [ownerRow, [known]] = await together([
    selectOwner(tx, place.collection, place.owner),
    selectCollections(tx, [place.collection]),
  ])
  const present = ownerRow?.chunks ?? 0
  const fresh = chunks.filter(({ ordinal }) => ordinal >= present)
  refuseGaps(place.owner, present, fresh)
  if (fresh.length === 0) return undefined
  const [collection, owner] = await grow(tx, newKey, place, known, dimensions, fresh.length)
  const firstNumber = collection.last_number - fresh.length + 1
  for (let start = 0; start < fresh.length; start += chunksPerStatement) {
    const some = fresh.slice(start, start + chunksPerStatement)
    const rows = some.map(
      ({ ordinal, text, heading, vector }, index): ChunkRow => ({
        id: chunkId(collection.id, firstNumber + start + index),
        owner,
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

/** Takes the collection's row until the commit: nobody else gets numbers meanwhile, so none is committed after a greater one. */
async function grow(
  tx: Tx,
  newKey: () => string,
  { collection: name, owner }: { collection: string; owner: string },
  known: CollectionRow | undefined,
  dimensions: number,
  by: number,
): Promise<[collection: CollectionRow, owner: number]> {
  if (known === undefined) {
    const row = { name, key: newKey(), dimensions, last_number: by, chunks: by }
    const added = await tx.insertInto('vector_collections').values(row).returningAll().executeTakeFirstOrThrow()
    return [added, await growOwner(tx, added.id, owner, by)]
  }
  if (known.dimensions !== dimensions) throw new DimensionMismatch(name, known.dimensions, dimensions)
  return together([growCollection(tx, known, by), growOwner(tx, known.id, owner, by)])
}

const growCollection = (tx: Tx, { id }: CollectionRow, by: number): Promise<CollectionRow> =>
  tx
    .updateTable('vector_collections')
    .set((eb) => ({ last_number: eb('last_number', '+', by), chunks: eb('chunks', '+', by) }))
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()

async function growOwner(tx: Tx, collection: number, name: string, by: number): Promise<number> {
  const { id } = await tx
    .insertInto('vector_owners')
    .values({ collection, name, chunks: by })
    .onConflict((conflict) =>
      conflict.columns(['collection', 'name']).doUpdateSet((eb) => ({ chunks: eb('vector_owners.chunks', '+', by) })),
    )
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

/** PostgreSQL keeps no zero characters, and neither database half a character. */
const storable = (text: string): string => text.replaceAll('\0', '\ufffd').toWellFormed()
