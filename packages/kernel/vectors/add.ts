// Adds chunks in the caller's transaction.
import type { Tx } from '../db/database.ts'
import { bagOf } from './bag.ts'
import { insertBags } from './bag-rows.ts'
import { toBytes, unit } from './numbers.ts'
import { type ChunkRow, type CollectionRow, chunkId, insertChunks, selectCollections, selectOwner } from './rows.ts'
import { DimensionMismatch, type VectorChunk } from './vectors.ts'

/** So that cutting their texts into words keeps nobody waiting. */
const chunksPerStatement = 16
/** What the index can hold in a sensible amount of memory; the widest embeddings have 3,072. */
const maxDimensions = 16_384

/** Returns the collection as it is then; undefined when everything was there already. */
export async function addChunks(
  tx: Tx,
  newKey: () => string,
  place: { collection: string; owner: string },
  chunks: readonly VectorChunk[],
): Promise<CollectionRow | undefined> {
  const dimensions = dimensionsOf(place.collection, chunks)
  const present = (await selectOwner(tx, place.collection, place.owner))?.chunks ?? 0
  const fresh = chunks.filter(({ ordinal }) => ordinal >= present)
  refuseGaps(place.owner, present, fresh)
  if (fresh.length === 0) return undefined
  const collection = await growCollection(tx, place.collection, newKey, dimensions, fresh.length)
  const owner = await growOwner(tx, collection.id, place.owner, fresh.length)
  const firstNumber = collection.last_number - fresh.length + 1
  for (let start = 0; start < fresh.length; start += chunksPerStatement) {
    const rows = fresh.slice(start, start + chunksPerStatement).map(
      ({ ordinal, text, heading, vector }, index): ChunkRow => ({
        id: chunkId(collection.id, firstNumber + start + index),
        owner,
        ordinal,
        vector: toBytes(unit(vector)),
        text: storable(text),
        heading: storable(heading ?? ''),
      }),
    )
    await insertChunks(tx, rows)
    await insertBags(
      tx,
      rows.map(({ id, text, heading }) => ({ id, bag: bagOf(text, heading) })),
    )
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
async function growCollection(
  tx: Tx,
  name: string,
  newKey: () => string,
  dimensions: number,
  by: number,
): Promise<CollectionRow> {
  const [known] = await selectCollections(tx, [name])
  if (!known) {
    const row = { name, key: newKey(), dimensions, last_number: by, chunks: by }
    return await tx.insertInto('vector_collections').values(row).returningAll().executeTakeFirstOrThrow()
  }
  if (known.dimensions !== dimensions) throw new DimensionMismatch(name, known.dimensions, dimensions)
  return await tx
    .updateTable('vector_collections')
    .set((eb) => ({ last_number: eb('last_number', '+', by), chunks: eb('chunks', '+', by) }))
    .where('id', '=', known.id)
    .returningAll()
    .executeTakeFirstOrThrow()
}

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
