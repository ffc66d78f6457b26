// A model of our own code in a thread of its own: it shares memory with the server, and cannot hold up its event loop.
import { Worker } from 'node:worker_threads'
import { ModelProblem } from '../problem.ts'
import type { ModelHost } from './model-host.ts'

export interface ModelThreadOptions {
  /** The program: a TypeScript file beside its user. */
  entry: URL
  /** For errors: "The embedding model". */
  what: string
  /** What it is started with. */
  data: unknown
}

export class ModelThread<Send, Receive> implements ModelHost<Send, Receive> {
  readonly #worker: Worker
  readonly #what: string
  readonly #endListeners: ((problem: ModelProblem) => void)[] = []
  #problem: ModelProblem | undefined
  #stopping = false

  constructor({ entry, what, data }: ModelThreadOptions) {
    this.#what = what
    this.#worker = new Worker(entry, { name: what, workerData: data })
    this.#worker.once('error', (error) => this.#end(error instanceof Error ? error.message : String(error)))
    this.#worker.once('exit', (code) => this.#end(`it ended with ${code}`))
    // What waits for an answer keeps the process alive, not the thread.
    this.#worker.unref()
  }

  get hasEnded(): boolean {
    return this.#problem !== undefined
  }

  send(message: Send): void {
    if (this.#problem !== undefined) throw this.#problem
    this.#worker.postMessage(message)
  }

  onMessage(listener: (message: Receive) => void): void {
    this.#worker.on('message', listener)
    this.#worker.unref()
  }

  onEnd(listener: (problem: ModelProblem) => void): void {
    if (this.#problem !== undefined) listener(this.#problem)
    else this.#endListeners.push(listener)
  }

  async stop(): Promise<void> {
    this.#stopping = true
    await this.#worker.terminate()
  }

  #end(how: string): void {
    if (this.#problem !== undefined) return
    const message = this.#stopping ? `${this.#what} was stopped` : `${this.#what} failed: ${how}`
    this.#problem = new ModelProblem(message, { kind: 'failed' })
    for (const listener of this.#endListeners.splice(0)) listener(this.#problem)
  }
}
