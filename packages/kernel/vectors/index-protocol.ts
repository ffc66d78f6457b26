// What the calling thread and the index thread say to each other.

export interface IndexSettings {
  /** From so many chunks on a collection gets an index; below, every vector is compared. */
  indexFrom: number
  /** Vectors that wait for their place in an index, of all collections; beyond it, more are not taken. */
  maxWaitingBytes: number
}

export type IndexRequest =
  /** Takes the index from its file if it is there and good; else begins with nothing. */
  | { kind: 'open'; key: string; dimensions: number; file: string }
  /** Chunk numbers, growing, and their vectors one after the other. */
  | { kind: 'extend'; key: string; numbers: Float64Array; vectors: Float32Array }
  | { kind: 'search'; key: string; vector: Float32Array; count: number }
  /** Gives the memory back; what the file lacks too much of is written first, unless the file shall go as well. */
  | { kind: 'drop'; key: string; removeFile: boolean }
  /** Resolves when nothing waits for its place in an index, and the file is as new as it gets. */
  | { kind: 'settle'; key: string }

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
}

export interface Nearest {
  numbers: Float64Array
  /** Whether these are all there are. */
  all: boolean
  /** As in the state. */
  bytes: number
}

export interface Asked {
  id: number
  request: IndexRequest
}

export type Answered =
  | { id: number; state: ShelfState | undefined }
  | { id: number; nearest: Nearest }
  | { id: number; error: string }
  /** Nobody asked: a file could not be written. */
  | { id: 0; warning: string }
