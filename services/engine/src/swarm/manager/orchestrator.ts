// Keeps services as they are wanted: looks at one whenever something about it changes, and when its time has come.
import { setTimeout as pause } from 'node:timers/promises'
import type { Clock } from '@atoll/kernel/clock/clock'
import type { Log } from '@atoll/kernel/telemetry/log'
import { ContainerQueue } from '../../network/container-queue.ts'
import type { LedStore } from '../store/led-store.ts'
import type { KeptCluster, KeptTask } from '../store/objects.ts'
import type { Changed } from '../store/swarm-store.ts'
import { partsOf } from '../store/write-parts.ts'
import { clusterMounts } from '../volumes/volume-uses.ts'
import type { Allocator } from './allocator.ts'
import { Plan } from './plan.ts'
import { planService } from './plan-service.ts'
import { isUpdating } from './rolling-update.ts'
import { isJob, isOver } from './task-states.ts'

const retryMs = 250
const shortLookMs = 2
const restPart = 1

export interface OrchestratorSettings {
  store: LedStore
  cluster(): KeptCluster
  clock: Clock
  log: Log
  newId(): string
  /** One after the other with whoever decides about volumes of the cluster. */
  inTurn<T>(work: () => Promise<T>): Promise<T>
  /** Gives tasks their addresses. */
  allocator: Pick<Allocator, 'fill' | 'giveBack'>
}

export class Orchestrator {
  readonly #settings: OrchestratorSettings
  readonly #queue = new ContainerQueue()
  /** Services that somebody is to look at already. */
  readonly #waiting = new Set<string>()
  readonly #timers = new Map<string, NodeJS.Timeout>()
  /** Services whose last look took long: until when they are left alone. */
  readonly #busyUntil = new Map<string, number>()
  readonly #stopListening: () => void
  #isStopped = false

  constructor(settings: OrchestratorSettings) {
    this.#settings = settings
    this.#stopListening = settings.store.listen((change) => this.#changed(change))
    this.#lookAtAll()
  }

  stop(): void {
    this.#isStopped = true
    this.#stopListening()
    for (const timer of this.#timers.values()) clearTimeout(timer)
  }

  #changed({ kind, id, before, after }: Changed): void {
    if (kind === 'service') this.#look(id)
    if (kind === 'task') this.#taskChanged(before as KeptTask | undefined, after as KeptTask | undefined)
    if (kind === 'node' || kind === 'cluster') this.#lookAtAll()
    if (kind === 'volume') this.#lookAtUsers()
    // Somebody left: there may be room for who waits.
    if (kind === 'task' && (after === undefined || isOver(after as KeptTask))) this.#lookAtPending()
  }

  /** How far a task is on its way to running tells nothing to do, unless an update waits for it. */
  #taskChanged(before: KeptTask | undefined, after: KeptTask | undefined): void {
    const { ServiceID = '' } = after ?? before ?? {}
    const service = this.#settings.store.get('service', ServiceID)
    const isOnItsWay =
      before !== undefined &&
      after !== undefined &&
      !isOver(after) &&
      before.DesiredState === after.DesiredState &&
      before.NodeID === after.NodeID
    if (isOnItsWay && service !== undefined && !isJob(service) && !isUpdating(service)) return
    this.#look(ServiceID)
  }

  #lookAtAll(): void {
    const { store } = this.#settings
    const known = [...store.all('service').map(({ ID }) => ID), ...store.all('task').map(({ ServiceID }) => ServiceID)]
    for (const id of new Set(known)) this.#look(id)
  }

  /** Of volumes of the cluster: one may be there now, or be there no more. */
  #lookAtUsers(): void {
    for (const { ID } of this.#settings.store.all('service')) if (this.#hasVolumes(ID)) this.#look(ID)
  }

  #lookAtPending(): void {
    for (const task of this.#settings.store.all('task')) {
      if (task.NodeID === undefined && !isOver(task)) this.#look(task.ServiceID)
    }
  }

  #look(id: string): void {
    if (this.#isStopped || id === '' || this.#waiting.has(id)) return
    this.#waiting.add(id)
    void this.#queue
      .run(id, async () => {
        // What changes meanwhile is looked at with it: a large service is not looked at for each of its tasks.
        await this.#pace(id)
        this.#waiting.delete(id)
        if (this.#isStopped) return
        if (this.#hasVolumes(id)) await this.#settings.inTurn(() => this.#reconcile(id))
        else await this.#reconcile(id)
      })
      .catch((error: Error) => {
        if (this.#isStopped) return
        this.#settings.log.warn({ service: id, error: error.message }, 'a service could not be looked after')
        this.#lookLater(id, retryMs)
      })
  }

  #hasVolumes(id: string): boolean {
    const template = this.#settings.store.get('service', id)?.Spec.TaskTemplate
    return template !== undefined && clusterMounts({ Spec: template }).length > 0
  }

  /** The longer a look takes, the longer until the next. */
  async #pace(id: string): Promise<void> {
    const restMs = (this.#busyUntil.get(id) ?? 0) - performance.now()
    if (restMs > 1) await pause(restMs, undefined, { ref: false })
    this.#busyUntil.delete(id)
  }

  #lookLater(id: string, delayMs: number): void {
    clearTimeout(this.#timers.get(id))
    const timer = setTimeout(() => {
      this.#timers.delete(id)
      this.#look(id)
    }, delayMs)
    this.#timers.set(id, timer.unref())
  }

  async #reconcile(id: string): Promise<void> {
    const { store, clock, cluster, newId, allocator } = this.#settings
    const service = store.get('service', id)
    if (service === undefined) return this.#clear(id)
    const plan = new Plan(service, {
      nowMs: clock.now(),
      nodes: store.all('node'),
      volumes: store.all('volume'),
      tasks: store.all('task'),
      history: Math.max(0, cluster().Spec.Orchestration?.TaskHistoryRetentionLimit ?? 5),
      newId,
    })
    const begunAt = performance.now()
    planService(plan)
    const { writes, removals, wakeAt } = plan
    const endedAt = performance.now()
    if (endedAt - begunAt > shortLookMs) this.#busyUntil.set(id, endedAt + restPart * (endedAt - begunAt))
    for (const part of partsOf(writes, removals)) {
      const filled = allocator.fill(part.writes)
      const isDone = await store.commit(filled, part.removals).finally(() =>
        // What was written keeps its addresses.
        allocator.giveBack(filled),
      )
      // Somebody was faster: what they changed is looked at again anyway.
      if (!isDone) return this.#lookLater(id, 0)
    }
    if (wakeAt !== undefined) this.#lookLater(id, Math.max(0, wakeAt - clock.now()))
  }

  /** The service is gone: its tasks go as well, once they have ended. */
  async #clear(id: string): Promise<void> {
    const { store } = this.#settings
    const tasks = store.all('task').filter(({ ServiceID }) => ServiceID === id)
    const over = tasks.filter((task) => isOver(task) || store.get('node', task.NodeID ?? '') === undefined)
    const others = tasks.filter((task) => !over.includes(task) && task.DesiredState !== 'remove')
    const writes = others.map((task) => ({
      ...{ kind: 'task' as const, object: { ...task, DesiredState: 'remove' as const }, index: task.Version.Index },
    }))
    const removals = over.map(({ ID }) => ({ kind: 'task' as const, id: ID }))
    for (const part of partsOf(writes, removals)) {
      if (!(await store.commit(part.writes, part.removals))) return this.#lookLater(id, 0)
    }
  }
}
