// A file being written. It exists on disk from the first byte on, and is durable or gone when the stream closes.
import { type FileHandle, open, rm } from 'node:fs/promises'
import { Writable } from 'node:stream'
import { BlobTooLarge, type WriteOptions } from './blobs.ts'
import { giveBack } from './give-back.ts'

// Chunks are gathered up to this size: one trip to the thread pool for many chunks from a socket.
const batchBytes = 512 * 1024
// What may wait behind the batch on its way to disk before the source is paused.
const waitingBytes = 512 * 1024

type Done = (error?: Error | null) => void

export class IncomingFile extends Writable {
  readonly #path: string
  readonly #maxBytes: number
  readonly #ownsChunks: boolean
  readonly #mode: 'w' | 'wx'
  #file: FileHandle | undefined
  #batch: Buffer[] = []
  #batched = 0
  #bytes = 0
  #durable = false

  constructor(path: string, { maxBytes, ownsChunks = false, key }: Omit<WriteOptions, 'signal'>) {
    super({ highWaterMark: waitingBytes })
    this.#path = path
    this.#maxBytes = maxBytes
    this.#ownsChunks = ownsChunks
    // A copy under a given key may have been begun before, by a process that was killed.
    this.#mode = key === undefined ? 'wx' : 'w'
  }

  get bytes(): number {
    return this.#bytes
  }

  override _construct(done: Done): void {
    open(this.#path, this.#mode, 0o600).then((file) => {
      this.#file = file
      done()
    }, done)
  }

  override _write(chunk: Buffer, _encoding: string, done: Done): void {
    this.#take([chunk], done)
  }

  override _writev(chunks: { chunk: Buffer }[], done: Done): void {
    const buffers = chunks.map(({ chunk }) => chunk)
    this.#take(buffers, done)
  }

  override _final(done: Done): void {
    this.#finish().then(() => done(), done)
  }

  override _destroy(error: Error | null, done: Done): void {
    this.#close().then(
      () => done(error),
      (closing) => done(error ?? closing),
    )
  }

  #take(chunks: Buffer[], done: Done): void {
    for (const chunk of chunks) {
      this.#bytes += chunk.length
      this.#batched += chunk.length
      this.#batch.push(chunk)
    }
    if (this.#bytes > this.#maxBytes) done(new BlobTooLarge(this.#maxBytes))
    else if (this.#batched < batchBytes) done()
    else this.#flush().then(() => done(), done)
  }

  async #flush(): Promise<void> {
    const batch = this.#batch
    this.#batch = []
    this.#batched = 0
    await writeAll(this.#opened(), batch)
    if (this.#ownsChunks) batch.forEach(giveBack)
  }

  async #finish(): Promise<void> {
    await this.#flush()
    await this.#opened().datasync()
    this.#durable = true
  }

  /** Closing waits for a write that is still under way. */
  async #close(): Promise<void> {
    this.#batch = []
    try {
      await this.#file?.close()
    } finally {
      if (!this.#durable) await rm(this.#path, { force: true })
    }
  }

  #opened(): FileHandle {
    if (!this.#file) throw new Error('The file is not open.')
    return this.#file
  }
}

/** A disk that fills up takes the first half of a write and refuses only the next one, so what was not taken is asked for again. */
async function writeAll(file: FileHandle, chunks: Buffer[]): Promise<void> {
  let rest = chunks.filter((chunk) => chunk.length > 0)
  while (rest.length > 0) {
    const { bytesWritten } = await file.writev(rest)
    rest = without(rest, bytesWritten)
  }
}

function without(chunks: Buffer[], taken: number): Buffer[] {
  let skip = taken
  return chunks.flatMap((chunk) => {
    const left = chunk.subarray(Math.min(skip, chunk.length))
    skip -= chunk.length - left.length
    return left.length > 0 ? [left] : []
  })
}
