// The documents port over reading processes.
import type { Log } from '@atoll/kernel/telemetry/log'
import {
  type ChunkSizes,
  type DocumentChunk,
  DocumentProblem,
  type DocumentSource,
  type Documents,
} from './documents.ts'
import { type DocumentLimits, defaultLimits } from './limits.ts'
import { problems } from './problems.ts'
import type { FromReader, ToReader } from './process/messages.ts'
import type { Reader } from './process/reader.ts'
import { ReaderPool } from './process/reader-pool.ts'
import { sourcePieces } from './source-pieces.ts'

/** A process that has grown beyond this is not kept for the next file. */
const maxIdleBytes = 300 * 1024 ** 2

export interface DocumentsOptions extends Partial<DocumentLimits> {
  log: Log
}

export function createDocuments({ log, ...given }: DocumentsOptions): Documents & { readonly pids: number[] } {
  const limits = { ...defaultLimits, ...given }
  const pool = new ReaderPool(limits, log)
  return {
    chunks: (source, sizes, { signal, from = 0 }) => {
      const reading = new Reading({ source, sizes, from, signal, limits, log })
      return reading.chunks(pool)
    },
    close: () => pool.close(),
    get pids() {
      return pool.pids
    },
  }
}

interface ReadingOptions {
  source: DocumentSource
  sizes: ChunkSizes
  from: number
  signal: AbortSignal
  limits: DocumentLimits
  log: Log
}

/** One file on its way through a process. */
class Reading {
  readonly #options: ReadingOptions
  #workedMs = 0
  #isFit = false

  constructor(options: ReadingOptions) {
    this.#options = options
  }

  async *chunks(pool: ReaderPool): AsyncGenerator<DocumentChunk> {
    const { source, limits, signal } = this.#options
    if (source.bytes > limits.fileBytes) throw problems.tooLarge(limits.fileBytes)
    const reader = await pool.take(signal)
    const pieces = sourcePieces(source, limits.fileBytes)
    try {
      yield* this.#converse(reader, pieces)
    } finally {
      // A process in the middle of a file nobody wants any more is of no use.
      pool.giveBack(reader, this.#isFit)
      await pieces.return(undefined)
    }
  }

  async *#converse(reader: Reader, pieces: AsyncIterator<Uint8Array>): AsyncGenerator<DocumentChunk> {
    const { source, sizes, from, limits } = this.#options
    const { filename, bytes } = source
    let answer = await this.#say(reader, { type: 'read', task: { filename, bytes, sizes, from, limits } })
    for (;;) {
      if (answer.type === 'done' || answer.type === 'problem') {
        this.#finish(answer)
        return
      }
      if (answer.type === 'chunks') yield* answer.chunks
      if (answer.type === 'more') {
        const { done, value } = await pieces.next()
        answer = await this.#say(reader, done ? { type: 'end' } : { type: 'bytes', bytes: value })
      } else answer = await this.#say(reader, { type: 'next' })
    }
  }

  async #say(reader: Reader, message: ToReader): Promise<FromReader> {
    const { limits, signal } = this.#options
    const timeoutMs = Math.min(limits.silenceMs, limits.workMs - this.#workedMs)
    if (timeoutMs <= 0) throw problems.tooSlow()
    const begin = performance.now()
    try {
      return await reader.exchange(message, timeoutMs, signal)
    } finally {
      this.#workedMs += performance.now() - begin
    }
  }

  #finish(answer: FromReader & { type: 'done' | 'problem' }): void {
    this.#isFit = answer.residentBytes < maxIdleBytes
    if (answer.type === 'done') return
    const { code, message, cause } = answer
    if (code === 'server_error') this.#options.log.error({ cause }, 'a document could not be read')
    throw new DocumentProblem(code, message, { cause })
  }
}
