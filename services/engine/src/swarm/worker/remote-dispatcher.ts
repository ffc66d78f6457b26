// The tasks of a worker as its manager last told them. They are remembered while no manager can be reached: tasks go on,
// and what became of them is told when one can be reached again.
import type { Clock } from '@atoll/kernel/clock/clock'
import { rank } from '../manager/task-states.ts'
import { fromWire, type WireAssignment } from '../session/wire-assignment.ts'
import type { Assignment, Dispatcher, TaskReport } from './dispatcher.ts'

type Send = (taskId: string, report: TaskReport) => void

export class RemoteDispatcher implements Dispatcher {
  readonly #clock: Clock
  readonly #assignments = new Map<string, Assignment>()
  /** The last of each task; those that a manager has written down are gone from here. */
  readonly #unheard = new Map<string, TaskReport>()
  readonly #listeners = new Set<(taskId: string) => void>()
  #send: Send | undefined

  constructor(clock: Clock) {
    this.#clock = clock
  }

  assigned(): string[] {
    return [...this.#assignments.keys()]
  }

  assignment(taskId: string): Assignment | undefined {
    return this.#assignments.get(taskId)
  }

  listen(changed: (taskId: string) => void): () => void {
    this.#listeners.add(changed)
    return () => this.#listeners.delete(changed)
  }

  async report(taskId: string, report: TaskReport): Promise<void> {
    const known = this.#assignments.get(taskId)
    if (known === undefined || rank(report.State) <= rank(known.task.Status.State)) return
    const Timestamp = new Date(this.#clock.now()).toISOString().replace('Z', '000000Z')
    const { Err: _, ...before } = known.task.Status
    const Status = { ...before, ...report, Timestamp }
    this.#assignments.set(taskId, { ...known, task: { ...known.task, Status } })
    this.#unheard.set(taskId, report)
    this.#send?.(taskId, report)
    this.#tell(taskId)
  }

  /** A manager can be reached; undefined: none can. */
  connected(send: Send | undefined): void {
    this.#send = send
  }

  /** Says again what nobody has heard. */
  repeat(): void {
    for (const [taskId, report] of this.#unheard) this.#send?.(taskId, report)
  }

  takeAll(assignments: readonly WireAssignment[]): void {
    const given = new Set(assignments.map(({ task }) => task.ID))
    for (const id of this.assigned()) if (!given.has(id)) this.takeAway(id)
    for (const assignment of assignments) this.take(assignment)
    this.repeat()
  }

  /** What was reported from here is never older than what a manager knows. */
  take(wire: WireAssignment): void {
    const next = fromWire(wire)
    const { ID, Status } = next.task
    const own = this.#assignments.get(ID)?.task.Status
    const isAhead = own !== undefined && rank(own.State) > rank(Status.State)
    this.#assignments.set(ID, isAhead ? { ...next, task: { ...next.task, Status: own } } : next)
    this.#tell(ID)
  }

  takeAway(taskId: string): void {
    this.#unheard.delete(taskId)
    if (this.#assignments.delete(taskId)) this.#tell(taskId)
  }

  heard(taskId: string, state: TaskReport['State']): void {
    if (this.#unheard.get(taskId)?.State === state) this.#unheard.delete(taskId)
  }

  #tell(taskId: string): void {
    for (const listener of this.#listeners) listener(taskId)
  }
}
