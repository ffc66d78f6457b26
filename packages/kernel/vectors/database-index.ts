// An index of vectors in the database itself, which stands in for the one in memory. Rows stay the truth: it is a cache
// that can be lost like files can.
import type { CollectionRow } from './rows.ts'

export interface Proposed {
  /** Chunk numbers, the nearest first, removed ones included. */
  numbers: Float64Array
  cosines: Float64Array
}

/** The index is not there any more: another has to answer. */
export class IndexLost extends Error {
  override readonly name = 'IndexLost'
}

export interface DatabaseIndex {
  /** It answers for the chunks up to this number; 0 while it is not ready. Begins to build it, and to keep it up, aside. */
  reach(collection: CollectionRow): Promise<number>
  /** Throws IndexLost. */
  nearest(collection: CollectionRow, vector: Float32Array, count: number): Promise<Proposed>
  /** The collection is gone. */
  forget(key: string): void
}
