// Threads that share the model and work on rows of their own. A step waits for all of them once.
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { PassOptions } from '../step/pass-parts.ts'
import { type RowResult, sumOf } from '../step/row.ts'
import { hasWork, type Share } from './batches.ts'
import type { Scales, ThreadAnswer, ThreadData, ThreadTask } from './thread-messages.ts'

/** What Node calls a thread that is over. */
const endedThread = -1

interface Thread {
  worker: Worker
  gradients: Float32Array
}

export class Threads {
  readonly #threads: Thread[]

  private constructor(threads: Thread[]) {
    this.#threads = threads
  }

  static async start(count: number, options: PassOptions, shared: Omit<ThreadData, 'options'>): Promise<Threads> {
    const entry = new URL('./thread.ts', import.meta.url)
    const workerData: ThreadData = { options, ...shared }
    const starting = Array.from({ length: count }, async (): Promise<Thread> => {
      const worker = new Worker(entry, { workerData })
      const answer = await answerOf(worker)
      if (answer.kind !== 'ready') throw new Error('A thread of the trainer began with an answer')
      return { worker, gradients: answer.gradients }
    })
    return new Threads(await Promise.all(starting))
  }

  /** Rows of each thread. Their gradients, times the scales, are added up in `total`. */
  async learn(shares: readonly Share[], scales: Scales, total: Float32Array): Promise<RowResult> {
    const result = await this.#all(shares, (share) => ({ kind: 'learn', ...share, ...scales }))
    total.fill(0)
    for (const [index, { gradients }] of this.#threads.entries()) {
      if (!hasWork(shares[index])) continue
      for (let at = 0; at < total.length; at++) total[at]! += gradients[at]!
    }
    return result
  }

  evaluate(shares: readonly Share[]): Promise<RowResult> {
    return this.#all(shares, ({ rows }) => ({ kind: 'evaluate', rows }))
  }

  /** They end by themselves: native code that is ended from outside takes the whole process with it. */
  async close(): Promise<void> {
    const end: ThreadTask = { kind: 'end' }
    const ending = this.#threads.map(async ({ worker }) => {
      if (worker.threadId === endedThread) return
      worker.postMessage(end)
      await once(worker, 'exit')
    })
    await Promise.all(ending)
  }

  async #all(shares: readonly Share[], taskOf: (share: Share) => ThreadTask): Promise<RowResult> {
    const answers = this.#threads.map(async ({ worker }, index) => {
      const share = shares[index]
      if (!hasWork(share)) return undefined
      const answer = answerOf(worker)
      worker.postMessage(taskOf(share))
      return answer
    })
    return sumOf((await Promise.all(answers)).flatMap((answer) => (answer?.kind === 'done' ? [answer.result] : [])))
  }
}

function answerOf(worker: Worker): Promise<ThreadAnswer> {
  return new Promise((resolve, reject) => {
    const onExit = (): void => reject(new Error('A thread of the trainer ended'))
    worker.once('exit', onExit)
    worker.once('error', reject)
    worker.once('message', (answer: ThreadAnswer) => {
      worker.off('exit', onExit)
      worker.off('error', reject)
      resolve(answer)
    })
  })
}
