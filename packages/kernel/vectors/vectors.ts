// The vectors port: chunks of text that are found by meaning and by words. Rows in the database are the truth; what
// makes searching fast is a cache that can be lost.
import type { Tx } from '../db/database.ts'

export interface VectorChunk {
  /** From 0, without gaps within an owner. */
  ordinal: number
  text: string
  /** Where the text stands, e.g. `Employee handbook › Leave › Parental leave`. */
  heading?: string | undefined
  /** Of length 1; all vectors of a collection have the same number of dimensions. */
  vector: Float32Array
  /** Its words, where `withWords` has cut them before. */
  bag?: Uint8Array | undefined
}

export interface VectorSearch {
  collections: readonly string[]
  vector: Float32Array
  /** The words that were asked for. */
  text: string
  limit: number
  /** From 0 to 1; what scores less is left out. */
  minScore?: number | undefined
  /** Of the meaning beside the words: 1 where it is not told, 0 for the words alone (`vector` is then not looked at). */
  meaningWeight?: number | undefined
  /** Of the words beside the meaning: 1 where it is not told, 0 for the meaning alone. */
  wordsWeight?: number | undefined
  /** Absent: all. */
  owners?: readonly string[] | undefined
}

export interface VectorHit {
  collection: string
  owner: string
  ordinal: number
  text: string
  /** Empty where none was given. */
  heading: string
  /** From 0 to 1, best first: how probable it is that the chunk answers, whatever the collection holds besides. */
  score: number
}

/** A chunk as it was added, with its number: numbers grow in the order in which chunks were added to the collection. */
export interface NumberedChunk {
  number: number
  text: string
  heading: string
}

export interface NumberedVector {
  number: number
  vector: Float32Array
}

/** Vectors of different widths cannot be compared. */
export class DimensionMismatch extends Error {
  override readonly name = 'DimensionMismatch'

  constructor(collection: string, expected: number, given: number) {
    super(`${collection} holds vectors of ${expected} dimensions; this one has ${given}`)
  }
}

export interface Vectors {
  /** Cuts texts into words before a transaction begins: within it, all who want to write would wait for that. */
  withWords<Chunk extends VectorChunk>(chunks: readonly Chunk[]): Promise<Chunk[]>
  /**
   * A chunk that is there already stays as it is: adding again after a crash doubles nothing. Some hundreds at a time:
   * others want to write as well, and to this collection nobody else can until the commit.
   */
  add(tx: Tx, collection: string, owner: string, chunks: readonly VectorChunk[]): Promise<void>
  /** How many chunks an owner has: those with the ordinals below it. */
  countOf(collection: string, owner: string): Promise<number>
  /** The texts of an owner's first chunks, in their order. */
  textsOf(collection: string, owner: string, limit: number): Promise<string[]>
  /** Both are quick, however much there is, and nothing is found any more from the commit on. */
  removeOwners(tx: Tx, collection: string, owners: readonly string[]): Promise<void>
  removeCollection(tx: Tx, collection: string): Promise<void>
  /** Finds what was committed before the call, also while the collection grows. */
  search(search: VectorSearch): Promise<VectorHit[]>
  /** How many chunks there are. */
  sizeOf(collection: string): Promise<number>
  /** Chunks in the order in which they were added, for whoever embeds them again: see replace.ts. */
  chunksAfter(collection: string, number: number, limit: number): Promise<NumberedChunk[]>
  replace(tx: Tx, collection: string, vectors: readonly NumberedVector[]): Promise<void>
  /** From the commit on the new vectors are searched. False, and nothing happens: there are chunks after `last`. */
  endReplacing(tx: Tx, collection: string, last: number): Promise<boolean>
  close(): Promise<void>
}
