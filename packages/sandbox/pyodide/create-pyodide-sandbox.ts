// The sandbox with Pyodide: CPython compiled to WebAssembly, one process for each session. A spare process waits for the
// next session as soon as the sandbox has been used; before that nothing is started.
import type { Log } from '@atoll/kernel/telemetry/log'
import { type Sandbox, SandboxProblem, type SandboxSession } from '../sandbox.ts'
import { defaultLimits, type SandboxLimits } from './limits.ts'
import type { PythonProcess } from './python-process.ts'
import { PythonStarter } from './python-starter.ts'
import { PythonSession } from './session.ts'

export interface PyodideSandboxOptions {
  log: Log
  limits?: Partial<SandboxLimits>
  /**
   * A folder of wheels that code can import: pure Python, or built for this version of Pyodide. Everybody on the machine
   * should be able to read it: Python processes have the rights of nobody in particular.
   */
  packagesFolder?: string | undefined
  /** Keeps Python's start-up memory between starts of the server: its first session is ready much sooner. */
  cacheFolder?: string | undefined
}

export const createPyodideSandbox = (options: PyodideSandboxOptions): Sandbox => new PyodideSandbox(options)

/** For those whose time of grace has passed meanwhile. */
const lookAgainMs = 200

/** The next spare is started when the session that took the last one has had time for its first answer. */
const spareDelayMs = 300

interface Entry {
  session: PythonSession
  lastUsed: number
  idle: NodeJS.Timeout | undefined
}

class PyodideSandbox implements Sandbox {
  readonly #limits: SandboxLimits
  readonly #starter: PythonStarter
  readonly #log: Log
  /** In the order of their last use. */
  readonly #entries = new Map<string, Entry>()
  readonly #opening = new Map<string, Promise<Entry>>()
  readonly #placeWaiters = new Set<() => void>()
  #spare: Promise<PythonProcess | undefined> | undefined
  #spareDue: NodeJS.Timeout | undefined
  #spareIdle: NodeJS.Timeout | undefined
  #isClosed = false

  constructor({ log, limits, packagesFolder, cacheFolder }: PyodideSandboxOptions) {
    this.#limits = { ...defaultLimits, ...limits }
    this.#log = log
    this.#starter = new PythonStarter({ log, limits: this.#limits, packagesFolder, cacheFolder })
  }

  async session(name: string): Promise<{ session: SandboxSession; isNew: boolean }> {
    const known = this.#entries.get(name)
    if (known !== undefined && !known.session.isGone) {
      this.#touch(name, known)
      return { session: known.session, isNew: false }
    }
    const opening = this.#opening.get(name)
    if (opening !== undefined) return { session: (await opening).session, isNew: false }
    const opened = this.#open(name).finally(() => this.#opening.delete(name))
    this.#opening.set(name, opened)
    return { session: (await opened).session, isNew: true }
  }

  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#spareDue)
    clearTimeout(this.#spareIdle)
    this.#tellWaiters()
    await Promise.allSettled(this.#opening.values())
    for (const { idle } of this.#entries.values()) clearTimeout(idle)
    await Promise.all([...this.#entries.values()].map(({ session }) => session.close()))
    await this.#dropSpare()
    await this.#starter.close()
  }

  async #open(name: string): Promise<Entry> {
    await this.#findPlace(name)
    const python = await this.#takeProcess()
    const entry: Entry = {
      session: new PythonSession(python, this.#limits, () => this.#rest(name, entry)),
      lastUsed: 0,
      idle: undefined,
    }
    void python.ended.then(() => this.#forget(name, entry))
    this.#touch(name, entry)
    return entry
  }

  async #takeProcess(): Promise<PythonProcess> {
    const taken = this.#spare
    this.#spare = undefined
    const spare = await taken
    const python = spare !== undefined && !spare.hasEnded ? spare : await this.#starter.start()
    clearTimeout(this.#spareIdle)
    clearTimeout(this.#spareDue)
    this.#spareDue = setTimeout(() => this.#keepSpare(), spareDelayMs).unref()
    return python
  }

  #keepSpare(): void {
    if (this.#isClosed) return
    this.#spare ??= this.#starter.start().catch((error) => {
      this.#log.warn({ err: error }, 'No spare Python process could be started')
      return undefined
    })
  }

  async #dropSpare(): Promise<void> {
    const dropped = this.#spare
    this.#spare = undefined
    await (await dropped)?.kill()
  }

  /** Closes the session that was idle longest, or waits until one is. */
  async #findPlace(name: string): Promise<void> {
    const deadline = performance.now() + this.#limits.placeSeconds * 1000
    for (;;) {
      if (this.#isClosed) throw new SandboxProblem('The sandbox is closed.')
      const others = [...this.#opening.keys()].filter((other) => other !== name).length
      if (this.#entries.size + others < this.#limits.sessions) return
      const longest = [...this.#entries].find(([, entry]) => this.#mayLeave(entry))
      if (longest !== undefined) {
        this.#forget(...longest)
        await longest[1].session.close()
      } else if (performance.now() > deadline) {
        throw new SandboxProblem('All Python sessions are at work: try again later.')
      } else await this.#waitForPlace()
    }
  }

  #mayLeave({ session, lastUsed }: Entry): boolean {
    return !session.isBusy && performance.now() - lastUsed > this.#limits.graceSeconds * 1000
  }

  async #waitForPlace(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#placeWaiters.add(resolve)
    const timer = setTimeout(resolve, lookAgainMs)
    await promise
    clearTimeout(timer)
    this.#placeWaiters.delete(resolve)
  }

  #touch(name: string, entry: Entry): void {
    this.#entries.delete(name)
    this.#entries.set(name, entry)
    this.#rest(name, entry)
  }

  /** From here on its idle time counts. */
  #rest(name: string, entry: Entry): void {
    entry.lastUsed = performance.now()
    clearTimeout(entry.idle)
    entry.idle = setTimeout(() => {
      if (entry.session.isBusy) return
      this.#forget(name, entry)
      void entry.session.close()
    }, this.#limits.idleSeconds * 1000)
    entry.idle.unref()
    this.#tellWaiters()
  }

  #forget(name: string, entry: Entry): void {
    clearTimeout(entry.idle)
    if (this.#entries.get(name) === entry) this.#entries.delete(name)
    if (this.#entries.size === 0) this.#restSpare()
    this.#tellWaiters()
  }

  /** While nobody uses Python for long, no spare is kept either. */
  #restSpare(): void {
    clearTimeout(this.#spareIdle)
    const drop = (): void => {
      if (this.#entries.size === 0) void this.#dropSpare()
    }
    this.#spareIdle = setTimeout(drop, this.#limits.idleSeconds * 1000).unref()
  }

  #tellWaiters(): void {
    for (const resolve of this.#placeWaiters) resolve()
  }
}
