// The life of the writer thread, seen from the calling thread.
import { Worker } from 'node:worker_threads'
import type { Log } from '../../telemetry/log.ts'
import type { Reply, Request } from './protocol.ts'

// A cap, not a reservation; the young generation is kept small because it is what an idle thread holds.
const memoryLimits = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 8 }

export interface ThreadEvents {
  reply(reply: Reply): void
  /** The thread is gone, by an error or because it was closed; nothing comes after. */
  gone(error: Error): void
  /** It ended by itself. */
  lost(error: Error): void
}

export class WriterThread {
  readonly #worker: Worker
  readonly #exited = Promise.withResolvers<void>()
  #opened = false
  #closing = false
  #failure: Error | undefined

  constructor(file: string, log: Log, events: ThreadEvents) {
    this.#worker = new Worker(new URL('./writer-thread.ts', import.meta.url), {
      name: 'sqlite-writer',
      workerData: file,
      resourceLimits: memoryLimits,
    })
    this.#worker.on('message', (reply: Reply) => {
      this.#opened ||= reply.kind === 'opened'
      events.reply(reply)
    })
    this.#worker.on('error', (error) => {
      this.#failure = error
      events.gone(new Error(`the database writer failed: ${error.message}`, { cause: error }))
    })
    this.#worker.on('exit', () => {
      const error = new Error(this.#closing ? 'the database is closed' : 'the database writer stopped')
      events.gone(error)
      this.#exited.resolve()
      if (this.#opened && !this.#closing) this.#tellLost(log, events, this.#failure ?? error)
    })
  }

  post(request: Request): void {
    this.#worker.postMessage(request)
  }

  async close(): Promise<void> {
    this.#closing = true
    this.post({ kind: 'close' })
    await this.#exited.promise
  }

  /** Nothing can be written any more, and what was read or promised before may rest on what is lost. */
  #tellLost(log: Log, { lost }: ThreadEvents, cause: Error): void {
    log.error({ err: cause }, 'the database writer ended by itself: nothing can be written any more')
    // A turn of the loop later: those who waited have been told by then.
    setImmediate(() => lost(new Error(`the database writer ended by itself: ${cause.message}`, { cause })))
  }
}
