// What the calling thread and the index thread say to each other.
import type { Proposed } from './database-index.ts'
import type { Spread } from './sample.ts'

export interface IndexSettings {
  /** From so many chunks on a collection gets an index; below, every vector is compared. */
  indexFrom: number
  /** Vectors that wait for their place in an index, of all collections; beyond it, more are not taken. */
  maxWaitingBytes: number
}

export type IndexRequest =
  /**
   * Takes the index and the words from their files if they are there and good; else begins with nothing. With an index
   * elsewhere it makes none: it compares what that one lacks.
   */
  | { kind: 'open'; key: string; dimensions: number; file: string; wordFile: string; isElsewhere: boolean }
  /** Chunk numbers, growing, and their vectors one after the other. */
  | { kind: 'extend'; key: string; numbers: Float64Array; vectors: Float32Array }
  /** Vectors of chunks that are in the index already, every so many of them. */
  | { kind: 'sample'; key: string; stride: number; numbers: Float64Array; vectors: Float32Array }
  | { kind: 'words'; key: string; chunks: WordedChunks }
  /** The owners there are: chunks of others were removed. */
  | { kind: 'owners'; key: string; owners: Float64Array }
  /** Without a vector by words alone. */
  | {
      kind: 'search'
      key: string
      vector: Float32Array | undefined
      count: number
      words: AskedWords
      proposed?: Proposed | undefined
    }
  /** An index elsewhere answers for the chunks up to this number from now on; those after it are told, again if need be. */
  | { kind: 'trim'; key: string; upTo: number }
  /** Gives the memory back; what the file lacks too much of is written first, unless the file shall go as well. */
  | { kind: 'drop'; key: string; removeFile: boolean }
  /** Resolves when nothing waits for its place in an index, and the file is as new as it gets. */
  | { kind: 'settle'; key: string }

/** Chunk numbers, growing, their owners' ids, and their bags; where these are still to be made, the texts. */
export interface WordedChunks {
  numbers: Float64Array
  owners: Float64Array
  bags: (Uint8Array | { text: string; heading: string })[]
}

export interface AskedWords {
  terms: Uint32Array
  /** How much each of them counts. */
  weights: Float32Array
  /** Chunks of these owners alone. Absent: all. */
  among?: Float64Array | undefined
}

export interface ShelfState {
  /** The greatest chunk number it holds. */
  last: number
  /** How many vectors, removed ones included. */
  count: number
  /** Those in the index; the others are compared one by one. */
  indexed: number
  bytes: number
  /** Of the vector with the number `last`, as it was loaded from the file: tells whether the rows are still the same. */
  lastVectorSum?: number | undefined
  words: WordsState
}

export interface WordsState {
  /** The greatest chunk number whose words it holds. */
  last: number
  /** How many chunks, without those known to be removed. */
  count: number
  /** Of the bag of the chunk with the number `last`, as it was loaded from the file. */
  lastBagSum?: number | undefined
}

export interface Found {
  /** The nearest by meaning, and their cosines with the vector asked for, as exact as the index holds it. */
  near: Float64Array
  cosines: Float64Array
  /** Whether there are no more. */
  all: boolean
  /** Of the cosines of the collection's vectors with the one asked for. */
  spread: Spread
  words: FoundWords
  /** As in the state. */
  bytes: number
}

export interface FoundWords {
  /** The best by words, and how good they are. */
  numbers: Float64Array
  scores: Float64Array
  /** Chunks that alone hold a word that was asked for; these are among the best as well. */
  named: Float64Array
  /** How good by words the nearest are. */
  wanted: Float64Array
  /** Of the scores of all chunks, and of their squares. */
  sum: number
  squares: number
  chunks: number
  /** What a chunk of usual length is worth that holds every word once. */
  full: number
}

export type Asked = { id: number; request: IndexRequest } | 'end'

export type Answered =
  | { id: number; state: ShelfState | undefined }
  | { id: number; found: Found }
  | { id: number; error: string }
  /** Nobody asked: a file could not be written. */
  | { id: 0; warning: string }
