// One further process of a container, from its making to its end.
import { conflict } from '../../errors.ts'
import type { CreateExec } from './schema.ts'

export class Exec {
  readonly id: string
  readonly containerId: string
  readonly config: CreateExec & { Cmd: string[] }
  readonly detachKeys: readonly number[]
  /** On the host; 0 before it runs. */
  pid = 0
  /** Null before it has ended. */
  exitCode: number | null = null
  isRunning = false
  /** Resolves when it has ended and its exit code is known. */
  readonly whenEnded: Promise<void>
  readonly #resolveEnded: () => void
  #isStarted = false

  constructor(id: string, containerId: string, config: CreateExec & { Cmd: string[] }, detachKeys: readonly number[]) {
    this.id = id
    this.containerId = containerId
    this.config = config
    this.detachKeys = detachKeys
    const { promise, resolve } = Promise.withResolvers<void>()
    this.whenEnded = promise
    this.#resolveEnded = resolve
  }

  get tty(): boolean {
    return this.config.Tty === true
  }

  /** As events write it. */
  get command(): string {
    return this.config.Cmd.join(' ')
  }

  /** It runs once only. */
  claim(): void {
    if (this.exitCode !== null) throw conflict(`Error: Exec command ${this.id} has already run`)
    if (this.#isStarted) throw conflict(`Error: Exec command ${this.id} is already running`)
    this.#isStarted = true
  }

  /** The start did not come about, for a reason that may pass. */
  unclaim(): void {
    this.#isStarted = false
  }

  began(pid: number): void {
    this.pid = pid
    this.isRunning = true
  }

  ended(exitCode: number): void {
    this.isRunning = false
    this.exitCode = exitCode
    this.#resolveEnded()
  }
}
