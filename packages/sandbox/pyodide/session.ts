// One session: its Python process, one run at a time, and an end to each of them.
import { type SandboxFile, SandboxProblem, type SandboxResult, type SandboxSession } from '../sandbox.ts'
import type { Reply } from './frames.ts'
import type { SandboxLimits } from './limits.ts'
import type { PythonProcess } from './python-process.ts'
import { isOutOfMemory, RunOutputs } from './run-outputs.ts'

const watchEveryMs = 100
/** Besides Python's memory and files: the engine, its compiled code, a copy of a file on its way. */
const ownBytes = 384 * 1024 ** 2
const plainName = /^(?!\.{1,2}$)[^/\0]{1,255}$/

type Stop = NonNullable<SandboxResult['stopped']>

export class PythonSession implements SandboxSession {
  readonly folder = '/mnt/data'
  readonly #python: PythonProcess
  readonly #limits: SandboxLimits
  readonly #onIdle: () => void
  #line: Promise<unknown> = Promise.resolve()
  #waiting = 0

  constructor(python: PythonProcess, limits: SandboxLimits, onIdle: () => void) {
    this.#python = python
    this.#limits = limits
    this.#onIdle = onIdle
  }

  get isGone(): boolean {
    return this.#python.hasEnded
  }

  get isBusy(): boolean {
    return this.#waiting > 0
  }

  /** Of the process. */
  get pid(): number | undefined {
    return this.#python.pid
  }

  async put({ name, bytes }: SandboxFile): Promise<void> {
    if (!plainName.test(name)) throw new SandboxProblem(`${JSON.stringify(name)} is not the name of a file.`)
    const { fileBytes } = this.#limits
    if (bytes.length > fileBytes) throw new SandboxProblem(`The file ${name} is larger than ${fileBytes} bytes.`)
    await this.#next(async () => {
      const { promise, resolve } = Promise.withResolvers<Reply | undefined>()
      void this.#python.ended.then(() => resolve(undefined))
      this.#python.listen(({ header }) => resolve(header))
      this.#python.send({ do: 'put', name }, bytes)
      const reply = await promise
      this.#python.listen(undefined)
      if (reply?.is === 'stored') return
      const why = reply?.is === 'refused' ? reply.why : 'the session has ended'
      throw new SandboxProblem(`The file ${name} could not be put into the sandbox: ${why}.`)
    })
  }

  run(code: string, options: { signal: AbortSignal; onLogs?: (text: string) => void }): Promise<SandboxResult> {
    return this.#next(() => this.#run(code, options))
  }

  async close(): Promise<void> {
    await this.#python.kill()
  }

  #next<T>(work: () => Promise<T>): Promise<T> {
    this.#waiting++
    const turn = this.#line.then(async () => {
      if (this.isGone) throw new SandboxProblem('The session has ended.')
      return await work()
    })
    const done = (): void => {
      this.#waiting--
      if (this.#waiting === 0) this.#onIdle()
    }
    this.#line = turn.then(done, done)
    return turn
  }

  async #run(
    code: string,
    { signal, onLogs }: { signal: AbortSignal; onLogs?: (text: string) => void },
  ): Promise<SandboxResult> {
    signal.throwIfAborted()
    const { promise, resolve } = Promise.withResolvers<Stop | 'ended' | 'aborted'>()
    const outputs = new RunOutputs(this.#limits, onLogs, resolve)
    const abort = (): void => resolve('aborted')
    signal.addEventListener('abort', abort, { once: true })
    void this.#python.ended.then(() => resolve(this.#howItDied()))
    const stopWatching = this.#watch(resolve)
    this.#python.listen((frame) => outputs.hear(frame))
    this.#python.send({ do: 'run' }, Buffer.from(code))
    const end = await promise
    stopWatching()
    signal.removeEventListener('abort', abort)
    this.#python.listen(undefined)
    if (end !== 'ended') await this.#python.kill()
    if (end === 'aborted') throw signal.reason
    return outputs.result(end === 'ended' ? undefined : end)
  }

  #watch(stop: (why: Stop) => void): () => void {
    const { cpuSeconds, wallSeconds, memoryMegabytes, fileBytes } = this.#limits
    const before = this.#python.usage()?.cpuSeconds ?? 0
    const maxBytes = memoryMegabytes * 1024 ** 2 + fileBytes + ownBytes
    const wall = setTimeout(() => stop('time'), wallSeconds * 1000)
    const poll = setInterval(() => {
      const usage = this.#python.usage()
      if (usage === undefined) return
      if (usage.cpuSeconds - before > cpuSeconds) stop('time')
      if (usage.residentBytes > maxBytes) stop('memory')
    }, watchEveryMs)
    return () => {
      clearTimeout(wall)
      clearInterval(poll)
    }
  }

  #howItDied(): Stop {
    return isOutOfMemory(this.#python.complaint) ? 'memory' : 'died'
  }
}
