// What the server and a reading process say to each other, strictly in turns: a process that has spoken waits.
import type { ChunkSizes, DocumentChunk, DocumentProblemCode } from '../documents.ts'
import type { DocumentLimits } from '../limits.ts'

export interface ReadingTask {
  filename: string
  bytes: number
  sizes: ChunkSizes
  from: number
  limits: DocumentLimits
}

export type ToReader =
  | { type: 'read'; task: ReadingTask }
  | { type: 'bytes'; bytes: Uint8Array }
  | { type: 'end' }
  | { type: 'next' }

export type FromReader =
  | { type: 'more' }
  | { type: 'chunks'; chunks: DocumentChunk[] }
  /** A sign of life. */
  | { type: 'working' }
  | { type: 'done'; residentBytes: number }
  | ReadingProblem

export interface ReadingProblem {
  type: 'problem'
  code: DocumentProblemCode
  message: string
  cause: string
  /** Where it is that there is no text. */
  mayBeScanned: boolean | undefined
  residentBytes: number
}
