// The tasks of one node as a manager knows them: of its own, or of one that is connected to it.
import type { Clock } from '@atoll/kernel/clock/clock'
import { rank } from '../manager/task-states.ts'
import { clusterOf, type Membership, places } from '../membership.ts'
import type { ChangeQueue } from '../store/change-queue.ts'
import type { KeptSecret, KeptTask } from '../store/objects.ts'
import { isAttachment } from './attachments.ts'
import type { AssignedNetwork, Assignment, Dispatcher, TaskFile, TaskReport } from './dispatcher.ts'

export interface LocalDispatcherParts {
  membership: Membership
  clock: Clock
  /** Of all nodes: what many report at once is written together. */
  reports: ChangeQueue<'task'>
  nodeId: string
  /** Undefined where it is no longer there. */
  network(id: string): Pick<AssignedNetwork, 'name' | 'isOfSwarm'> | undefined
}

export class LocalDispatcher implements Dispatcher {
  readonly #parts: LocalDispatcherParts

  constructor(parts: LocalDispatcherParts) {
    this.#parts = parts
  }

  get #membership(): Membership {
    return this.#parts.membership
  }

  assigned(): string[] {
    return this.#membership.store
      .all('task')
      .filter((task) => this.#isMine(task))
      .map(({ ID }) => ID)
  }

  assignment(taskId: string): Assignment | undefined {
    const { store, sealing } = this.#membership
    const task = store.get('task', taskId)
    const node = store.get('node', this.#parts.nodeId)
    if (task === undefined || node === undefined || !this.#isMine(task)) return undefined
    const service = store.get('service', task.ServiceID)
    const auth = service?.registryAuth
    return {
      task,
      node,
      service: {
        id: task.ServiceID,
        name: service?.Spec.Name ?? task.ServiceID,
        labels: service?.Spec.Labels ?? {},
        isByName: service?.Spec.EndpointSpec?.Mode === 'dnsrr',
      },
      networks: (task.Spec.Networks ?? []).map(({ Target = '', Aliases = [] }) => {
        const { name, isOfSwarm = false } = this.#parts.network(Target) ?? {}
        return { name, isOfSwarm, target: Target, aliases: Aliases }
      }),
      secret: (id) => this.#file('secret', id),
      config: (id) => this.#file('config', id),
      registryAuth: auth && sealing.open(auth, places.registryAuth(task.ServiceID)).toString(),
      logDriver: task.Spec.LogDriver ?? clusterOf(this.#membership).Spec.TaskDefaults?.LogDriver,
    }
  }

  listen(changed: (taskId: string) => void): () => void {
    const { store } = this.#membership
    return store.listenTasksOf(this.#parts.nodeId, (id) => {
      const task = store.get('task', id)
      if (task === undefined || !isAttachment(task)) changed(id)
    })
  }

  async report(taskId: string, report: TaskReport): Promise<void> {
    const { reports, clock } = this.#parts
    await reports.change(taskId, (task) => {
      if (!this.#isMine(task) || rank(report.State) <= rank(task.Status.State)) return undefined
      const Timestamp = new Date(clock.now()).toISOString().replace('Z', '000000Z')
      const { Err: _, ...before } = task.Status
      return { ...task, Status: { ...before, ...report, Timestamp } }
    })
  }

  #isMine(task: KeptTask): boolean {
    return task.NodeID === this.#parts.nodeId && !isAttachment(task)
  }

  #file(kind: 'secret' | 'config', id: string): TaskFile | undefined {
    const { store, sealing } = this.#membership
    const found: KeptSecret | undefined = store.get(kind, id)
    if (found === undefined) return undefined
    return {
      name: found.Spec.Name,
      data: sealing.open(found.data, places[kind](id)),
      isTemplate: found.Spec.Templating !== undefined,
      driver: found.Spec.Driver?.Name,
    }
  }
}
