// The calling thread's side of the index thread, which is started by the first request.
import { Worker } from 'node:worker_threads'
import type { Log } from '../telemetry/log.ts'
import type { Answered, Asked, Found, IndexRequest, IndexSettings, ShelfState } from './index-protocol.ts'

interface Waiter {
  resolve(answer: Answered): void
  reject(error: Error): void
}

type Search = Extract<IndexRequest, { kind: 'search' }>

export class IndexThread {
  readonly #settings: IndexSettings
  readonly #log: Log
  readonly #gone: () => void
  readonly #waiting = new Map<number, Waiter>()
  #worker: Worker | undefined
  #asked = 0
  #closed = false

  /** `gone` is called when the thread ended by an error: all it held is lost, and the next request starts a new one. */
  constructor(settings: IndexSettings, log: Log, gone: () => void) {
    this.#settings = settings
    this.#log = log
    this.#gone = gone
  }

  async search(request: Omit<Search, 'kind'>): Promise<Found> {
    const answer = await this.#ask({ kind: 'search', ...request }, [])
    if (!('found' in answer)) throw new Error('the index thread answered something else than was asked')
    return answer.found
  }

  /** Takes the memory of vectors given with it. */
  async tell(request: Exclude<IndexRequest, Search>): Promise<ShelfState | undefined> {
    const answer = await this.#ask(request, 'vectors' in request ? [request.vectors.buffer] : [])
    return 'state' in answer ? answer.state : undefined
  }

  /** The thread ends itself, between two steps: ended from here inside the library's code, it takes the process along. */
  async close(): Promise<void> {
    this.#closed = true
    const worker = this.#worker
    if (!worker) return
    const ended = new Promise((resolve) => worker.once('exit', resolve))
    worker.postMessage('end' satisfies Asked)
    await ended
  }

  #ask(request: IndexRequest, transfer: ArrayBufferLike[]): Promise<Answered> {
    return new Promise((resolve, reject) => {
      if (this.#closed) throw new Error('the vectors are closed')
      this.#worker ??= this.#start()
      const id = ++this.#asked
      this.#waiting.set(id, { resolve, reject })
      this.#worker.postMessage({ id, request } satisfies Asked, transfer as ArrayBuffer[])
    })
  }

  #start(): Worker {
    const worker = new Worker(new URL('./index-worker.ts', import.meta.url), {
      name: 'vectors',
      workerData: this.#settings,
    })
    worker.on('message', (answer: Answered) => this.#receive(answer))
    worker.on('error', (error) => {
      this.#log.error({ err: error }, 'the index thread failed')
      this.#end(new Error(`the index thread failed: ${error.message}`, { cause: error }))
    })
    worker.on('exit', () => this.#end(new Error(this.#closed ? 'the vectors are closed' : 'the index thread stopped')))
    return worker
  }

  #receive(answer: Answered): void {
    if ('warning' in answer) {
      this.#log.warn({ reason: answer.warning }, 'an index could not be written; the next start has to build it again')
      return
    }
    const waiter = this.#waiting.get(answer.id)
    this.#waiting.delete(answer.id)
    if ('error' in answer) waiter?.reject(new Error(answer.error))
    else waiter?.resolve(answer)
  }

  #end(error: Error): void {
    if (!this.#worker) return
    this.#worker = undefined
    const waiting = [...this.#waiting.values()]
    this.#waiting.clear()
    for (const waiter of waiting) waiter.reject(error)
    this.#gone()
  }
}
