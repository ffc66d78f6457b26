// A model runs in a process of its own: it cannot hold up the API's event loop, a crash of native code ends only
// what it worked on, and unloading it gives all its memory back.
import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { behind, stepBackTo } from '@atoll/kernel/turns/step-back'
import { ModelProblem } from '../problem.ts'
import { isPing, watch } from './heartbeat.ts'
import type { ModelHost } from './model-host.ts'

const stopGraceMs = 2_000
const defaultPingMs = 15_000

export interface ModelProcessOptions {
  /** The program: a TypeScript file beside its user, `new URL('./embed-process.ts', import.meta.url)`. */
  entry: URL
  /** For the log and for errors: "the embedding model". */
  what: string
  args?: readonly string[]
  /** Requests and other models go before it, from its start on: to load its code is work, too. */
  isUnhurried?: boolean
  /** How often it is asked whether it lives. */
  pingMs?: number
  /** What it writes to its standard error, line by line. */
  onLog?(line: string): void
}

export class ModelProcess<Send, Receive> implements ModelHost<Send, Receive> {
  readonly #child: ChildProcess
  readonly #what: string
  readonly #ended: Promise<void>
  readonly #watch: ReturnType<typeof watch>
  #listeners: ((message: Receive) => void)[] = []
  #endListeners: ((problem: ModelProblem) => void)[] = []
  #problem: ModelProblem | undefined
  #stopping = false

  constructor({ entry, what, args = [], isUnhurried = false, pingMs = defaultPingMs, onLog }: ModelProcessOptions) {
    this.#what = what
    this.#child = fork(fileURLToPath(entry), [...args], {
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
      execArgv: ['--disable-warning=ExperimentalWarning'],
    })
    if (isUnhurried) giveWay(this.#child)
    this.#watch = watch(
      pingMs,
      () => this.#child.connected && this.#child.send({ ping: true }, () => {}),
      () => this.#child.kill('SIGKILL'),
    )
    this.#child.on('message', (message) => {
      this.#watch.heard()
      if (isPing(message)) return
      for (const listener of this.#listeners) listener(message as Receive)
    })
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#ended = promise
    let complaint = ''
    this.#child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      complaint = (complaint + text).slice(-2_000)
      if (onLog) for (const line of text.split('\n')) if (line !== '') onLog(line)
    })
    this.#child.once('error', (error) => this.#end(error.message, resolve))
    this.#child.once('exit', (code, signal) => this.#end(`it ended with ${signal ?? code}`, resolve))
  }

  get pid(): number | undefined {
    return this.#child.pid
  }

  get hasEnded(): boolean {
    return this.#problem !== undefined
  }

  send(message: Send): void {
    if (this.#problem !== undefined) throw this.#problem
    // A process that ends meanwhile is told by its exit.
    this.#child.send(message as object, () => {})
  }

  onMessage(listener: (message: Receive) => void): void {
    this.#listeners.push(listener)
  }

  /** Called once, also when it has ended already. */
  onEnd(listener: (problem: ModelProblem) => void): void {
    if (this.#problem !== undefined) listener(this.#problem)
    else this.#endListeners.push(listener)
  }

  async stop(): Promise<void> {
    if (this.#problem !== undefined) return
    this.#stopping = true
    if (this.#child.connected) this.#child.disconnect()
    const kill = setTimeout(() => this.#child.kill('SIGKILL'), stopGraceMs)
    await this.#ended
    clearTimeout(kill)
  }

  #end(how: string, resolve: () => void): void {
    if (this.#problem !== undefined) return
    const message = this.#stopping ? `${this.#what} was stopped` : `${this.#what} failed: ${how}`
    this.#problem = new ModelProblem(message, { kind: 'failed' })
    this.#watch.end()
    resolve()
    for (const listener of this.#endListeners.splice(0)) listener(this.#problem)
    this.#listeners = []
  }
}

function giveWay({ pid }: ChildProcess): void {
  if (pid !== undefined) stepBackTo(behind(), pid)
}
