// The calling thread's side of the thread that cuts texts into words: started when there is much to cut, ended when
// there was nothing for a while.
import { Worker } from 'node:worker_threads'
import { mapInTurns } from '../loop-turns.ts'
import { bagOf } from './bag.ts'

export interface WordedText {
  text: string
  heading: string
}

export interface ToCut {
  id: number
  texts: readonly WordedText[]
}

export interface CutTexts {
  id: number
  bags: Uint8Array[]
}

/** Of a note: a few milliseconds at most, and no thread has to be started or woken for it. */
const fewLetters = 8_000
const idleMs = 15_000

export class WordCutter {
  readonly #waiting = new Map<number, PromiseWithResolvers<Uint8Array[]>>()
  #worker: Worker | undefined
  #idle: NodeJS.Timeout | undefined
  #asked = 0
  #isClosed = false

  /** The bags of texts, in their order. */
  bags(texts: readonly WordedText[]): Promise<Uint8Array[]> {
    const letters = texts.reduce((sum, { text, heading }) => sum + text.length + heading.length, 0)
    if (letters <= fewLetters) return mapInTurns(texts, ({ text, heading }) => bagOf(text, heading))
    if (this.#isClosed) return Promise.reject(new Error('the vectors are closed'))
    const cut = Promise.withResolvers<Uint8Array[]>()
    const id = ++this.#asked
    this.#waiting.set(id, cut)
    clearTimeout(this.#idle)
    this.#worker ??= this.#start()
    this.#worker.ref()
    this.#worker.postMessage({ id, texts } satisfies ToCut)
    return cut.promise
  }

  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#idle)
    await this.#worker?.terminate()
  }

  #start(): Worker {
    const worker = new Worker(new URL('./cutting-thread.ts', import.meta.url), { name: 'words' })
    let failure = new Error('the thread that cuts words has stopped')
    worker.on('message', ({ id, bags }: CutTexts) => this.#settle(id, bags))
    worker.on('error', (error) => {
      failure = new Error(`the thread that cuts words failed: ${error}`, { cause: error })
    })
    worker.on('exit', () => this.#lose(worker, failure))
    return worker
  }

  #settle(id: number, bags: Uint8Array[]): void {
    this.#waiting.get(id)?.resolve(bags)
    this.#waiting.delete(id)
    if (this.#waiting.size > 0) return
    // Nothing to wait for: it does not keep the process from ending.
    this.#worker?.unref()
    this.#idle = setTimeout(() => this.#tire(), idleMs).unref()
  }

  #tire(): void {
    const worker = this.#worker
    // Whoever comes now gets another.
    this.#worker = undefined
    void worker?.terminate()
  }

  #lose(worker: Worker, error: Error): void {
    if (this.#worker !== worker) return
    this.#worker = undefined
    for (const { reject } of this.#waiting.values()) reject(error)
    this.#waiting.clear()
  }
}
