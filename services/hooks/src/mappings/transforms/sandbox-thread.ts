// One thread that runs transforms, a task at a time. One that hangs, or whose interpreter broke, is ended.
import { Worker } from 'node:worker_threads'
import { transformLimits } from './limits.ts'
import { type SandboxAnswer, type SandboxOutcome, type SandboxTask, threadReady } from './protocol.ts'

/** Starting it takes its time on a busy machine. */
const startMs = 30_000

const entry = new URL('./sandbox-worker.ts', import.meta.url)

interface Open {
  id: number
  settle(outcome: SandboxOutcome): void
}

export class SandboxThread {
  readonly #worker: Worker
  readonly #ready = Promise.withResolvers<void>()
  #open: Open | undefined
  #lastId = 0
  #isEnded = false

  constructor() {
    this.#worker = new Worker(entry, {
      env: {},
      execArgv: ['--disable-warning=ExperimentalWarning'],
      stdout: true,
      stderr: true,
      resourceLimits: { maxOldGenerationSizeMb: 64, stackSizeMb: 4 },
    })
    this.#worker.stdout.resume()
    this.#worker.stderr.resume()
    this.#worker.unref()
    this.#worker.on('message', (message: typeof threadReady | SandboxAnswer) => this.#hear(message))
    this.#worker.on('error', (error: Error) => this.#fail(error.message))
    this.#worker.on('exit', () => this.#fail('the thread has ended'))
    this.#ready.promise.catch(() => {})
  }

  get isEnded(): boolean {
    return this.#isEnded
  }

  /** Throws when the thread could not be started. Not to be called while another task runs. */
  async run(task: SandboxTask): Promise<SandboxOutcome> {
    const slowStart = setTimeout(() => this.#fail('it took too long to start'), startMs)
    await this.#ready.promise.finally(() => clearTimeout(slowStart))
    // By the pool's end, after it was given and before it was asked: nobody would answer.
    if (this.#isEnded) return { kind: 'problem', message: 'was ended before it began' }
    const id = ++this.#lastId
    const { promise, resolve } = Promise.withResolvers<SandboxOutcome>()
    this.#open = { id, settle: resolve }
    const hangs = setTimeout(() => this.#fail('it hangs'), transformLimits.hangMs)
    this.#worker.postMessage({ ...task, id })
    return await promise.finally(() => clearTimeout(hangs))
  }

  async end(): Promise<void> {
    this.#fail('the gateway is being stopped')
    await this.#worker.terminate()
  }

  #hear(message: typeof threadReady | SandboxAnswer): void {
    if (message === threadReady) {
      this.#ready.resolve()
      return
    }
    const { id, isSpoiled, ...outcome } = message
    const open = this.#open
    if (open?.id !== id) return
    this.#open = undefined
    if (isSpoiled) this.#fail('its interpreter broke')
    open.settle(outcome)
  }

  #fail(reason: string): void {
    if (this.#isEnded) return
    this.#isEnded = true
    this.#ready.reject(new Error(`The sandbox for transforms does not start: ${reason}`))
    this.#open?.settle({ kind: 'problem', message: `was ended: ${reason}` })
    this.#open = undefined
    void this.#worker.terminate()
  }
}
