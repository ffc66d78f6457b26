// What nodes ask one another about vectors.
import { z } from 'zod'
import type { CollectionRow } from './rows.ts'

const whole = z.int().min(0)

const collection = z.object({
  id: whole,
  // Files are named by it.
  key: z.string().regex(/^[A-Za-z0-9]{1,64}$/),
  dimensions: whole,
  last_number: whole,
  chunks: whole,
})

const search = z.object({
  collection,
  // A copy: what was unsealed lies somewhere within a larger buffer, and the index reads such a one from its beginning.
  vector: z
    .instanceof(Float32Array)
    .transform((vector) => vector.slice())
    .optional(),
  words: z.object({
    terms: z.instanceof(Uint32Array),
    weights: z.instanceof(Float32Array),
    among: z.instanceof(Float64Array).optional(),
  }),
  count: whole,
  /** Whether the answer may wait until all rows are read. */
  isWaiting: z.boolean(),
})

const hold = z.object({ collection })

export type AskedCollection = z.output<typeof collection>

/** By its row as whoever asks has read it: what was committed before is found. */
export const askedCollection = ({ id, key, dimensions, last_number, chunks }: CollectionRow): AskedCollection => ({
  ...{ id, key, dimensions, last_number, chunks },
})

/** Shelves know collections by their keys. */
const rowOf = (asked: AskedCollection): CollectionRow => ({ ...asked, name: asked.key })

export function askedSearch(body: unknown) {
  const { collection: asked, vector, ...rest } = search.parse(body)
  return { ...rest, vector, collection: rowOf(asked) }
}

export const askedToHold = (body: unknown): CollectionRow => rowOf(hold.parse(body).collection)
