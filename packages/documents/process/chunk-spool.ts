// What was read of a file and is yet to be taken: a little in memory, the rest on disk, so that no process has to wait
// with a file half read until its chunks are embedded.
import { Buffer } from 'node:buffer'
import type { FileHandle } from 'node:fs/promises'
import { deserialize, serialize } from 'node:v8'
import type { DocumentChunk } from '../documents.ts'
import { openUnnamed } from '../reading/spooled-file.ts'

/** In UTF-16 units; more goes to the disk. */
const maxLengthInMemory = 512 * 1024

type Entry = { chunks: DocumentChunk[]; length: number } | { at: number; bytes: number }

export class ChunkSpool {
  readonly #maxBytes: number
  readonly #entries: Entry[] = []
  #file: FileHandle | undefined
  #fileBytes = 0
  /** On disk and not taken. */
  #waitingBytes = 0
  #lengthInMemory = 0
  #isDiskFull = false
  #changed = Promise.withResolvers<void>()
  #end: { error?: unknown } | undefined

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  get isFull(): boolean {
    const isMemoryFull = this.#lengthInMemory >= maxLengthInMemory
    return isMemoryFull && (this.#isDiskFull || this.#waitingBytes >= this.#maxBytes)
  }

  async add(chunks: DocumentChunk[]): Promise<void> {
    const length = chunks.reduce((sum, { text }) => sum + text.length, 0)
    const isSmall = this.#lengthInMemory < maxLengthInMemory
    const entry = isSmall || this.#isDiskFull ? undefined : await this.#write(chunks)
    if (entry === undefined) this.#lengthInMemory += length
    this.#entries.push(entry ?? { chunks, length })
    this.#change()
  }

  /** No more comes. */
  end(): void {
    this.#end = {}
    this.#change()
  }

  /** `isAtOnce`: what was added before is not worth taking any more. */
  fail(error: unknown, isAtOnce: boolean): void {
    this.#end = { error }
    if (isAtOnce) this.#entries.length = 0
    this.#change()
  }

  /** Resolves when something was added, taken, or ended. */
  get changed(): Promise<void> {
    return this.#changed.promise
  }

  /** In the order they were added; waits for more until the end. */
  async *chunks(): AsyncGenerator<DocumentChunk> {
    for (;;) {
      const entry = this.#entries.shift()
      if (entry !== undefined) yield* await this.#take(entry)
      else if (this.#end === undefined) await this.changed
      else if ('error' in this.#end) throw this.#end.error
      else return
    }
  }

  async close(): Promise<void> {
    this.#entries.length = 0
    await this.#file?.close()
  }

  /** Undefined: the disk has no room, and its reader has to wait. */
  async #write(chunks: DocumentChunk[]): Promise<Entry | undefined> {
    const data = serialize(chunks)
    const { length: bytes } = data
    const at = this.#fileBytes
    this.#fileBytes += bytes
    this.#waitingBytes += bytes
    try {
      this.#file ??= await openUnnamed()
      const { bytesWritten } = await this.#file.write(data, 0, bytes, at)
      if (bytesWritten === bytes) return { at, bytes }
    } catch {
      // As when less was written than there is.
    }
    this.#waitingBytes -= bytes
    this.#isDiskFull = true
    return undefined
  }

  async #take(entry: Entry): Promise<DocumentChunk[]> {
    if ('chunks' in entry) {
      this.#lengthInMemory -= entry.length
      this.#change()
      return entry.chunks
    }
    const data = Buffer.alloc(entry.bytes)
    await this.#file?.read(data, 0, entry.bytes, entry.at)
    this.#waitingBytes -= entry.bytes
    // Nothing in it is wanted any more.
    if (this.#waitingBytes === 0) this.#fileBytes = 0
    this.#change()
    return deserialize(data) as DocumentChunk[]
  }

  #change(): void {
    this.#changed.resolve()
    this.#changed = Promise.withResolvers<void>()
  }
}
