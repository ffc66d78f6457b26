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
}

export class WriterThread {
  readonly #worker: Worker
  readonly #exited = Promise.withResolvers<void>()
  #closing = false

  constructor(file: string, log: Log, events: ThreadEvents) {
    this.#worker = new Worker(new URL('./writer-thread.ts', import.meta.url), {
      name: 'sqlite-writer',
      workerData: file,
      resourceLimits: memoryLimits,
    })
    this.#worker.on('message', (reply: Reply) => events.reply(reply))
    this.#worker.on('error', (error) => {
      log.error({ err: error }, 'the database writer failed')
      events.gone(new Error(`the database writer failed: ${error.message}`, { cause: error }))
    })
    this.#worker.on('exit', () => {
      events.gone(new Error(this.#closing ? 'the database is closed' : 'the database writer stopped'))
      this.#exited.resolve()
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
}
