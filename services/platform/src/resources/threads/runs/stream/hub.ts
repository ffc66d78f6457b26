// Who reads the streams of runs in this process. Workers here tell as it happens; of runs that another node works on,
// a wake-up makes the readers look into the database.
import type { Tx } from '@atoll/kernel/db/database'
import type { Events } from '@atoll/kernel/events/events'
import type { Log } from '@atoll/kernel/telemetry/log'
import { z } from 'zod'
import type { RunStatus } from '../schema.ts'
import type { RunEvent } from './events.ts'
import { type ReaderOptions, RunReader } from './reader.ts'
import { type RunState, replay } from './replay.ts'

const topic = 'runs'
const Change = z.object({ run: z.string(), status: z.string() })

/** A run has changed, here or on another node. */
export type ChangeListener = (runId: string, status: string) => void

interface Parts {
  events: Events
  log: Log
  /** Undefined when there is no such run any more. */
  load(runId: string): Promise<RunState | undefined>
}

export class RunHub {
  readonly #parts: Parts
  readonly #readers = new Map<string, Set<RunReader>>()
  /** Runs that this process works on. */
  readonly #working = new Set<string>()
  readonly #listeners = new Set<ChangeListener>()
  readonly #unsubscribe: (() => void)[]

  constructor(parts: Parts) {
    this.#parts = parts
    this.#unsubscribe = [
      parts.events.subscribe(topic, (payload) => this.#changed(payload)),
      parts.events.onGap(() => this.#lookAtAll()),
    ]
  }

  /** Tells every node, once `tx` has committed. */
  announce(tx: Tx, runId: string, status: RunStatus): Promise<void> {
    return this.#parts.events.publish(tx, topic, { run: runId, status })
  }

  onChange(listener: ChangeListener): void {
    this.#listeners.add(listener)
  }

  /** As the database knows it. */
  state(runId: string): Promise<RunState | undefined> {
    return this.#parts.load(runId)
  }

  /** Before the run can begin, so that nothing is missed. */
  read(runId: string, options: ReaderOptions): RunReader {
    const readers = this.#readers.get(runId) ?? new Set()
    this.#readers.set(runId, readers)
    const reader = new RunReader(options, (closed) => {
      readers.delete(closed)
      if (readers.size === 0 && this.#readers.get(runId) === readers) this.#readers.delete(runId)
    })
    readers.add(reader)
    return reader
  }

  tell(runId: string, event: RunEvent): void {
    const readers = this.#readers.get(runId)
    if (readers === undefined) return
    for (const reader of [...readers]) reader.live(event)
  }

  beginWork(runId: string): void {
    this.#working.add(runId)
  }

  endWork(runId: string): void {
    this.#working.delete(runId)
    void this.#look(runId)
  }

  close(): void {
    for (const unsubscribe of this.#unsubscribe) unsubscribe()
    for (const reader of [...this.#readers.values()].flatMap((readers) => [...readers])) {
      reader.fail('The server is shutting down. The run goes on when it is back.')
    }
  }

  #changed(payload: unknown): void {
    const change = Change.safeParse(payload)
    if (!change.success) return
    const { run, status } = change.data
    for (const listener of this.#listeners) listener(run, status)
    // Its own worker tells better, but of what others have done to the run it knows nothing.
    if (!this.#working.has(run) || status === 'cancelling') void this.#look(run)
  }

  #lookAtAll(): void {
    for (const runId of this.#readers.keys()) void this.#look(runId)
  }

  async #look(runId: string): Promise<void> {
    const all = [...(this.#readers.get(runId) ?? [])]
    const readers = all.filter(({ isOpen }) => isOpen)
    // What is read now may be older than what opens them.
    for (const reader of all) if (!reader.isOpen) reader.whenOpen(() => void this.#look(runId))
    if (readers.length === 0) return
    try {
      const state = await this.#parts.load(runId)
      const events = state && replay(state)
      for (const reader of readers) {
        if (events === undefined) reader.fail('The thread of this run was deleted.')
        else reader.catchUp(events)
      }
    } catch (error) {
      this.#parts.log.error({ err: error, run: runId }, 'Could not follow a run.')
      for (const reader of readers)
        reader.fail('The server could not follow this run. Retrieve it to see how it ended.')
    }
  }
}
