// The life of one reader thread, seen from the calling thread. It answers one statement at a time.
import { Worker } from 'node:worker_threads'
import { SqliteError, toObjects } from './calls.ts'
import type { Value } from './protocol.ts'
import type { Row } from './reader.ts'
import type { ReadReply, ReadRequest } from './reading.ts'

const memoryLimits = { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 8 }
const maxRows = 1_000_000

interface Read {
  rows: Row[]
  resolve(rows: Row[]): void
  reject(error: Error): void
}

export class ReadingThread {
  readonly #worker: Worker
  readonly #exited = Promise.withResolvers<void>()
  #read: Read | undefined
  #failure: Error | undefined

  constructor(file: string) {
    this.#worker = new Worker(new URL('./reader-thread.ts', import.meta.url), {
      name: 'sqlite-reader',
      workerData: file,
      resourceLimits: memoryLimits,
    })
    this.#worker.on('message', (reply: ReadReply) => this.#receive(reply))
    this.#worker.on('error', (error) =>
      this.#fail(new Error(`a database reader failed: ${error.message}`, { cause: error })),
    )
    this.#worker.on('exit', () => {
      this.#fail(new Error('a database reader stopped'))
      this.#exited.resolve()
    })
  }

  /** Why it answers no more. */
  get failure(): Error | undefined {
    return this.#failure
  }

  get ended(): Promise<void> {
    return this.#exited.promise
  }

  read(sql: string, values: readonly Value[]): Promise<Row[]> {
    return new Promise((resolve, reject) => {
      if (this.#failure) throw this.#failure
      this.#read = { rows: [], resolve, reject }
      this.#post({ kind: 'read', sql, values })
    })
  }

  close(): Promise<void> {
    this.#post({ kind: 'close' })
    return this.ended
  }

  /** Ends it in the middle of what it does. */
  abandon(reason: Error): void {
    this.#fail(reason)
    void this.#worker.terminate()
  }

  #post(request: ReadRequest): void {
    this.#worker.postMessage(request)
  }

  #receive(reply: ReadReply): void {
    const read = this.#read
    if (read === undefined) return
    if (reply.kind === 'rows') this.#take(read, reply)
    else this.#finish(() => read.reject(new SqliteError(reply.failure)))
  }

  #take(read: Read, { rows, more }: Extract<ReadReply, { kind: 'rows' }>): void {
    for (const row of toObjects(rows)) read.rows.push(row)
    if (read.rows.length > maxRows) this.abandon(new Error(`a read gave more than ${maxRows} rows`))
    else if (more) this.#post({ kind: 'more' })
    else this.#finish(() => read.resolve(read.rows))
  }

  /** Free for the next one before the caller goes on. */
  #finish(tell: () => void): void {
    this.#read = undefined
    tell()
  }

  #fail(error: Error): void {
    this.#failure ??= error
    this.#read?.reject(error)
    this.#read = undefined
  }
}
