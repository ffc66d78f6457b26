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
  /** To one that has yet to start: it answers when it has. */
  | { type: 'hello' }
  /** `whole`: all of a small file; others come piece by piece. */
  | { type: 'read'; task: ReadingTask; whole: Uint8Array | undefined }
  | { type: 'bytes'; bytes: Uint8Array }
  | { type: 'end' }
  | { type: 'next' }

export type FromReader =
  | { type: 'more' }
  | { type: 'chunks'; chunks: DocumentChunk[] }
  /** A sign of life. */
  | { type: 'working' }
  /** With the last chunks. */
  | { type: 'done'; chunks: DocumentChunk[]; residentBytes: number }
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
