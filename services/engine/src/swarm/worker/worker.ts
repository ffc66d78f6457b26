// Runs the tasks of this machine as ordinary containers of its engine: they go on when the engine ends.
import { setTimeout as pause } from 'node:timers/promises'
import type { Log } from '@atoll/kernel/telemetry/log'
import { ContainerQueue } from '../../network/container-queue.ts'
import { type TaskParts, TaskRun } from './task-run.ts'

const retryMs = 500
const stopMs = 3_000

export class Worker {
  readonly #parts: TaskParts
  readonly #log: Log
  readonly #runs = new Map<string, TaskRun>()
  readonly #queue = new ContainerQueue()
  readonly #waiting = new Set<string>()
  #stopListening: () => void = () => {}
  #isStopped = false

  constructor(parts: TaskParts, log: Log) {
    this.#parts = parts
    this.#log = log
  }

  async start(): Promise<void> {
    const { dispatcher, containers, files } = this.#parts
    await files.open()
    this.#stopListening = dispatcher.listen((id) => this.#advance(id))
    const left = containers.all().flatMap(({ taskId }) => taskId ?? [])
    for (const id of new Set([...dispatcher.assigned(), ...left])) this.#advance(id)
  }

  /** `isLeaving`: containers of tasks go with the swarm. */
  async stop(isLeaving: boolean): Promise<void> {
    this.#isStopped = true
    this.#stopListening()
    for (const run of this.#runs.values()) run.leave()
    const settled = Promise.all([...this.#runs.keys()].map((id) => this.#queue.run(id, async () => {})))
    // A container may take its time to end: the engine does not wait for it.
    await Promise.race([settled, pause(stopMs, undefined, { ref: false })])
    const { containers, files } = this.#parts
    // Containers keep the files that they have.
    await files.close()
    if (!isLeaving) return
    const own = containers.all().filter(({ taskId }) => taskId !== undefined)
    await Promise.allSettled(
      own.map(({ id }) => containers.remove(id, { force: true, volumes: true, link: false, isQuiet: true })),
    )
  }

  #advance(id: string): void {
    if (this.#isStopped) return
    const run = this.#runs.get(id) ?? new TaskRun(id, this.#parts, () => this.#advance(id))
    this.#runs.set(id, run)
    run.changed()
    if (this.#waiting.has(id)) return
    this.#waiting.add(id)
    void this.#queue
      .run(id, async () => {
        this.#waiting.delete(id)
        if (this.#isStopped) return
        if (await run.advance()) this.#runs.delete(id)
      })
      .catch((error: Error) => {
        if (this.#isStopped) return
        this.#log.warn({ task: id, error: error.message }, 'a task could not be looked after')
        setTimeout(() => this.#advance(id), retryMs).unref()
      })
  }
}
