// The documents port: text out of files of any kind, in chunks of so many tokens. Hostile files harm nothing: the work
// is done in a process of its own with limits on time, memory and what comes out.
export interface DocumentSource {
  filename: string
  bytes: number
  read(): AsyncIterable<Uint8Array>
}

export interface ChunkSizes {
  /** In tokens of the cl100k_base tokenizer. */
  maxTokens: number
  overlapTokens: number
}

export interface DocumentChunk {
  /** From 0. The same file and sizes give the same chunks. */
  ordinal: number
  /** Where in the document it begins: `Employee handbook › Leave › Parental leave`. */
  heading: string
  /** As it stands in the document. */
  text: string
  tokens: number
}

export interface ReadOptions {
  signal: AbortSignal
  /** Whose file it is (a project's id): those who wait get their turns in equal measure, however many files they have. */
  turn: string
  /** Leaves out chunks that are there already. */
  from?: number
}

export interface Documents {
  /** Fails with a DocumentProblem. Its source may be read more than once. */
  chunks(source: DocumentSource, sizes: ChunkSizes, options: ReadOptions): AsyncIterable<DocumentChunk>
  /** A file is about to come: what takes a while to start is started. */
  warm(): void
  close(): Promise<void>
}

/** What clients see as `last_error.code`. */
export type DocumentProblemCode = 'unsupported_file' | 'invalid_file' | 'server_error'

export class DocumentProblem extends Error {
  override readonly name = 'DocumentProblem'
  readonly code: DocumentProblemCode

  /** `message` tells the file's owner what is wrong and what to do. */
  constructor(code: DocumentProblemCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}
