// One file on its way through processes: read ahead of whoever takes its chunks, and begun again with another process
// when others needed the first.
import type { Log } from '@atoll/kernel/telemetry/log'
import {
  type ChunkSizes,
  type DocumentChunk,
  DocumentProblem,
  type DocumentSource,
  NoText,
  type ReadOptions,
} from '../documents.ts'
import type { DocumentLimits } from '../limits.ts'
import { problems } from '../problems.ts'
import { sourcePieces, wholeSource } from '../source-pieces.ts'
import { ChunkSpool } from './chunk-spool.ts'
import { type Lease, Revoked } from './lease.ts'
import type { FromReader, ToReader } from './messages.ts'
import type { ReaderPool } from './reader-pool.ts'

/** A process that has grown beyond this is not kept for the next file. */
const maxIdleBytes = 300 * 1024 ** 2
/** A smaller file is read in less time than a process takes to start. */
const largeFromBytes = 256 * 1024

interface ReadingParts {
  source: DocumentSource
  sizes: ChunkSizes
  options: ReadOptions
  limits: DocumentLimits
  log: Log
}

export class Reading {
  readonly #parts: ReadingParts
  readonly #spool: ChunkSpool
  readonly #left = new AbortController()
  /** Of whoever takes the chunks. */
  readonly #signal: AbortSignal
  /** The next chunk's ordinal. */
  #next: number
  #workedMs = 0
  #isFit = false

  constructor(parts: ReadingParts) {
    this.#parts = parts
    this.#spool = new ChunkSpool(parts.limits.aheadBytes)
    this.#signal = AbortSignal.any([parts.options.signal, this.#left.signal])
    this.#next = parts.options.from ?? 0
  }

  async *chunks(pool: ReaderPool): AsyncGenerator<DocumentChunk> {
    const { source, limits } = this.#parts
    if (source.bytes > limits.fileBytes) throw problems.tooLarge(limits.fileBytes)
    const reading = this.#readAll(pool).then(
      () => this.#spool.end(),
      (error) => this.#spool.fail(error, isOfTheFile(error)),
    )
    try {
      for await (const chunk of this.#spool.chunks()) {
        this.#signal.throwIfAborted()
        yield chunk
      }
    } finally {
      this.#left.abort(new Error('nobody takes the chunks any more'))
      await reading
      await this.#spool.close()
    }
  }

  async #readAll(pool: ReaderPool): Promise<void> {
    const { source, options, limits } = this.#parts
    const isLarge = source.bytes > largeFromBytes
    const { turn, isOneOfMany = false } = options
    // No process waits for the storage of a small file.
    const whole = isLarge ? undefined : await wholeSource(source, limits.fileBytes)
    for (let revocations = 0; ; revocations++) {
      const lease = await pool.take({ turn, isLarge, isOneOfMany, revocations }, this.#signal)
      try {
        await this.#readWith(pool, lease, whole)
        return
      } catch (error) {
        if (!(error instanceof Revoked)) throw error
      } finally {
        // A process in the middle of a file nobody wants any more is of no use.
        pool.giveBack(lease, this.#isFit)
      }
    }
  }

  async #readWith(pool: ReaderPool, lease: Lease, whole: Uint8Array | undefined): Promise<void> {
    const { source, limits } = this.#parts
    const pieces = sourcePieces(source, limits.fileBytes)
    const signal = AbortSignal.any([this.#signal, lease.revoked])
    this.#workedMs = 0
    try {
      for await (const chunks of this.#converse(lease, whole ?? pieces, signal)) {
        await this.#spool.add(chunks)
        this.#next += chunks.length
        if (this.#spool.isFull) await this.#waitForRoom(pool, lease, signal)
      }
    } finally {
      await pieces.return(undefined)
    }
  }

  async *#converse(
    lease: Lease,
    content: Uint8Array | AsyncIterator<Uint8Array>,
    signal: AbortSignal,
  ): AsyncGenerator<DocumentChunk[]> {
    const { source, sizes, limits } = this.#parts
    const { filename, bytes } = source
    const say = (message: ToReader): Promise<FromReader> => this.#say(lease, message, signal)
    if (!lease.reader.hasSpoken) await say({ type: 'hello' })
    lease.begin()
    const [whole, pieces] = content instanceof Uint8Array ? [content, undefined] : [undefined, content]
    let answer = await say({ type: 'read', task: { filename, bytes, sizes, from: this.#next, limits }, whole })
    for (;;) {
      if ('chunks' in answer && answer.chunks.length > 0) yield answer.chunks
      if (answer.type === 'done' || answer.type === 'problem') {
        this.#finish(answer)
        return
      }
      if (answer.type === 'more') {
        const { done = true, value } = (await pieces?.next()) ?? {}
        answer = await say(done ? { type: 'end' } : { type: 'bytes', bytes: value })
      } else answer = await say({ type: 'next' })
    }
  }

  async #waitForRoom(pool: ReaderPool, lease: Lease, signal: AbortSignal): Promise<void> {
    const stop = Promise.withResolvers<void>()
    const stopWaiting = (): void => stop.resolve()
    signal.addEventListener('abort', stopWaiting)
    pool.stall(lease)
    while (this.#spool.isFull && !signal.aborted) await Promise.race([this.#spool.changed, stop.promise])
    lease.isStalled = false
    signal.removeEventListener('abort', stopWaiting)
  }

  async #say(lease: Lease, message: ToReader, signal: AbortSignal): Promise<FromReader> {
    const { limits } = this.#parts
    const timeoutMs = Math.min(limits.silenceMs, limits.workMs - this.#workedMs)
    if (timeoutMs <= 0) throw problems.tooSlow()
    const begin = performance.now()
    try {
      return await lease.reader.exchange(message, timeoutMs, signal)
    } finally {
      this.#workedMs += performance.now() - begin
    }
  }

  #finish(answer: FromReader & { type: 'done' | 'problem' }): void {
    this.#isFit = answer.residentBytes < maxIdleBytes
    if (answer.type === 'done') return
    const { code, message, cause, mayBeScanned } = answer
    if (mayBeScanned !== undefined) throw new NoText(code, message, mayBeScanned)
    if (code === 'server_error') this.#parts.log.error({ cause }, 'a document could not be read')
    throw new DocumentProblem(code, message, { cause })
  }
}

/** It will fail again in the same way: what was read of it is of no use. */
const isOfTheFile = (error: unknown): boolean => error instanceof DocumentProblem && error.code !== 'server_error'
