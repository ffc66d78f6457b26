// One container: its record, its changes one after the other, and what is known of it only while the engine runs.
import type { ExitRecord } from '../../runtime/runtime.ts'
import type { ContainerRecord, ContainerState } from './record.ts'
import { Waiters } from './waiters.ts'

/** One life of the container's process. */
export interface Run {
  pid: number
  startedAtMs: number
  /** Resolves once its end is in the record. */
  ended: Promise<ExitRecord>
  /** Somebody wants it to end: no restart policy brings it back. */
  isStopAsked: boolean
}

export type SaveRecord = (record: ContainerRecord) => Promise<void>

export class Container {
  readonly id: string
  readonly waiters = new Waiters()
  /** Absent: nothing runs. */
  run: Run | undefined
  /** Its program may run already, and its start has yet to be noted: resolves when it has, or when it failed. */
  beginning: Promise<void> | undefined
  /** A restart that is due. */
  restartTimer: NodeJS.Timeout | undefined
  restartDelayMs = 0
  stopHealthChecks: (() => void) | undefined
  isRemoving = false
  /** It ends only to start again: AutoRemove is not meant. */
  isRestarting = false
  #record: ContainerRecord
  readonly #save: SaveRecord
  readonly #changed: () => void
  #operations: Promise<unknown> = Promise.resolve()
  #writes: Promise<unknown> = Promise.resolve()

  constructor(record: ContainerRecord, save: SaveRecord, changed: () => void) {
    this.id = record.id
    this.#record = record
    this.#save = save
    this.#changed = changed
  }

  /** A snapshot: never changed, only replaced. */
  get record(): ContainerRecord {
    return this.#record
  }

  get state(): ContainerState {
    return this.#record.state
  }

  /** Running in the sense of rules: also paused, also between two runs of a restart policy. */
  get isUp(): boolean {
    return isUp(this.state)
  }

  /** Start, stop, remove …: one after the other. */
  exclusively<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#operations.then(work)
    this.#operations = result.catch(() => {})
    return result
  }

  /** On disk first, then for all to see. `change` gets the newest record; undefined leaves it. */
  async change(change: (record: ContainerRecord) => ContainerRecord | undefined): Promise<ContainerRecord> {
    const written = this.#writes.then(async () => {
      const next = change(this.#record)
      if (next === undefined) return
      await this.#save(next)
      this.#record = next
      this.#changed()
    })
    this.#writes = written.catch(() => {})
    await written
    return this.#record
  }

  changeState(change: (state: ContainerState) => Partial<ContainerState> | undefined): Promise<ContainerRecord> {
    return this.change((record) => {
      const changed = change(record.state)
      return changed === undefined ? undefined : { ...record, state: { ...record.state, ...changed } }
    })
  }

  /** What need not survive the engine: results of health checks. */
  note(state: Partial<ContainerState>): void {
    this.#record = { ...this.#record, state: { ...this.#record.state, ...state } }
    this.#changed()
  }

  cancelRestart(): void {
    clearTimeout(this.restartTimer)
    this.restartTimer = undefined
  }
}

export const isUp = ({ status }: ContainerState): boolean =>
  status === 'running' || status === 'paused' || status === 'restarting'
