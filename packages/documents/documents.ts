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
  /** Comes with many others: whoever waits for an answer goes before it, however small it is. */
  isOneOfMany?: boolean
  /** Was found to hold pictures of pages: their text is recognized first. */
  isScanned?: boolean
}

export interface Documents {
  /** Whether there is a program for the text in pictures of pages. */
  readonly recognizes: boolean
  /** Fails with a DocumentProblem. Its source may be read more than once. */
  chunks(source: DocumentSource, sizes: ChunkSizes, options: ReadOptions): AsyncIterable<DocumentChunk>
  /** A file is about to come: what takes a while to start is started. */
  warm(): void
  close(): Promise<void>
}

/** What clients see as `last_error.code`. */
export type DocumentProblemCode = 'unsupported_file' | 'invalid_file' | 'server_error'

interface ProblemOptions extends ErrorOptions {
  /** Whether it may go well the next time; faults of the server may, unless told. */
  mayPass?: boolean
}

export class DocumentProblem extends Error {
  override readonly name: string = 'DocumentProblem'
  readonly code: DocumentProblemCode
  readonly mayPass: boolean

  /** `message` tells the file's owner what is wrong and what to do. */
  constructor(code: DocumentProblemCode, message: string, options: ProblemOptions = {}) {
    super(message, options)
    this.code = code
    this.mayPass = options.mayPass ?? code === 'server_error'
  }
}

export class NoText extends DocumentProblem {
  override readonly name = 'NoText'
  /** Its pages may be pictures. */
  readonly mayBeScanned: boolean

  constructor(code: DocumentProblemCode, message: string, mayBeScanned: boolean) {
    super(code, message)
    this.mayBeScanned = mayBeScanned
  }
}
