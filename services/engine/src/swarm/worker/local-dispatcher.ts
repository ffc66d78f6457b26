// The dispatcher of a worker that is in the manager's own process.
import type { Clock } from '@atoll/kernel/clock/clock'
import { rank } from '../manager/task-states.ts'
import { clusterOf, type Membership, places } from '../membership.ts'
import type { KeptSecret, KeptTask } from '../store/objects.ts'
import { isAttachment } from './attachments.ts'
import type { Assignment, Dispatcher, TaskFile, TaskReport } from './dispatcher.ts'

const maxTries = 20

export class LocalDispatcher implements Dispatcher {
  readonly #membership: Membership
  readonly #clock: Clock

  constructor(membership: Membership, clock: Clock) {
    this.#membership = membership
    this.#clock = clock
  }

  assigned(): string[] {
    return this.#membership.store
      .all('task')
      .filter((task) => this.#isMine(task))
      .map(({ ID }) => ID)
  }

  assignment(taskId: string): Assignment | undefined {
    const { store, identity, sealing } = this.#membership
    const task = store.get('task', taskId)
    const node = store.get('node', identity.nodeId)
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
      secret: (id) => this.#file('secret', id),
      config: (id) => this.#file('config', id),
      registryAuth: auth && sealing.open(auth, places.registryAuth(task.ServiceID)).toString(),
      logDriver: task.Spec.LogDriver ?? clusterOf(this.#membership).Spec.TaskDefaults?.LogDriver,
    }
  }

  listen(changed: (taskId: string) => void): () => void {
    return this.#membership.store.listen(({ kind, id, before, after }) => {
      if (kind !== 'task') return
      if ([before, after].some((task) => task !== undefined && this.#isMine(task as KeptTask))) changed(id)
    })
  }

  async report(taskId: string, report: TaskReport): Promise<void> {
    const { store } = this.#membership
    for (let attempt = 0; attempt < maxTries; attempt++) {
      const task = store.get('task', taskId)
      if (task === undefined || rank(report.State) <= rank(task.Status.State)) return
      const Timestamp = new Date(this.#clock.now()).toISOString().replace('Z', '000000Z')
      const { Err: _, ...before } = task.Status
      const Status = { ...before, ...report, Timestamp }
      if (await store.commit([{ kind: 'task', object: { ...task, Status }, index: task.Version.Index }])) return
    }
    throw new Error(`the state of task ${taskId} could not be written down`)
  }

  #isMine(task: KeptTask): boolean {
    return task.NodeID === this.#membership.identity.nodeId && !isAttachment(task)
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
