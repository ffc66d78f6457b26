// The life of the writer thread, seen from the calling thread.
import type { Worker } from 'node:worker_threads'
import type { Log } from '../../telemetry/log.ts'
import type { Reply, Request, ThreadReply } from './protocol.ts'
import { keepWorker, mayKeepWorker, takeWorker } from './writer-workers.ts'

export interface ThreadEvents {
  reply(reply: Reply): void
  /** The thread is gone, by an error or because it was closed; nothing comes after. */
  gone(error: Error): void
  /** It ended by itself. */
  lost(error: Error): void
}

const closed = (): Error => new Error('the database is closed')

export class WriterThread {
  readonly #worker: Worker
  readonly #ended = Promise.withResolvers<void>()
  #opened = false
  #closing = false
  #failure: Error | undefined

  constructor(file: string, log: Log, events: ThreadEvents) {
    this.#worker = takeWorker(file)
    this.#worker.on('message', (reply: ThreadReply) => {
      this.#opened ||= reply.kind === 'opened'
      if (reply.kind === 'closed') this.#leave(events)
      else events.reply(reply)
    })
    this.#worker.on('error', (error) => {
      this.#failure = error
      events.gone(new Error(`the database writer failed: ${error.message}`, { cause: error }))
    })
    this.#worker.on('exit', () => {
      const error = this.#closing ? closed() : new Error('the database writer stopped')
      events.gone(error)
      this.#ended.resolve()
      if (this.#opened && !this.#closing) this.#tellLost(log, events, this.#failure ?? error)
    })
  }

  post(request: Request): void {
    this.#worker.postMessage(request)
  }

  async close(): Promise<void> {
    this.#closing = true
    this.post({ kind: 'close', stay: mayKeepWorker() })
    await this.#ended.promise
  }

  /** To whoever opens the next database. */
  #leave(events: ThreadEvents): void {
    keepWorker(this.#worker)
    events.gone(closed())
    this.#ended.resolve()
  }

  /** Nothing can be written any more, and what was read or promised before may rest on what is lost. */
  #tellLost(log: Log, { lost }: ThreadEvents, cause: Error): void {
    log.error({ err: cause }, 'the database writer ended by itself: nothing can be written any more')
    // A turn of the loop later: those who waited have been told by then.
    setImmediate(() => lost(new Error(`the database writer ended by itself: ${cause.message}`, { cause })))
  }
}
