// All execs in memory, by id and by container. They live as long as their container; the oldest that have ended make
// room for new ones.
import { unavailable } from '../../errors.ts'
import type { Exec } from './exec.ts'

export const maxExecsPerContainer = 1_000

export class ExecTable {
  readonly #byId = new Map<string, Exec>()
  readonly #byContainer = new Map<string, Set<Exec>>()

  add(exec: Exec): void {
    const own = this.#byContainer.get(exec.containerId) ?? new Set()
    if (own.size >= maxExecsPerContainer) this.#makeRoom(own)
    this.#byContainer.set(exec.containerId, own.add(exec))
    this.#byId.set(exec.id, exec)
  }

  find(id: string): Exec | undefined {
    return this.#byId.get(id)
  }

  of(containerId: string): Exec[] {
    return [...(this.#byContainer.get(containerId) ?? [])]
  }

  /** With its container. */
  forget(containerId: string): void {
    for (const { id } of this.of(containerId)) this.#byId.delete(id)
    this.#byContainer.delete(containerId)
  }

  #makeRoom(own: Set<Exec>): void {
    const done = [...own].find(({ exitCode }) => exitCode !== null) ?? [...own].find(({ isRunning }) => !isRunning)
    if (done === undefined) throw unavailable(`a container can run at most ${maxExecsPerContainer} execs at a time`)
    own.delete(done)
    this.#byId.delete(done.id)
  }
}
