// Tasks: what became of services, one by one.
import { invalidParameter } from '../../errors.ts'
import { findObject } from '../../swarm/find-object.ts'
import { hostPortsOf, isCurrent } from '../../swarm/manager/task-states.ts'
import type { KeptTask } from '../../swarm/store/objects.ts'
import type { Swarm } from '../../swarm/swarm.ts'
import { hasLabel, refuseUnknown } from '../nodes/node-filters.ts'
import type { Filters } from '../query/schema.ts'
import type { Task } from './schema.ts'

const known = ['_up-to-date', 'desired-state', 'id', 'label', 'name', 'node', 'runtime', 'service']
const desiredStates = ['running', 'shutdown', 'accepted', 'ready', 'complete', 'remove']

export class Tasks {
  readonly #swarm: Pick<Swarm, 'membership'>

  constructor(swarm: Pick<Swarm, 'membership'>) {
    this.#swarm = swarm
  }

  list(filters: Filters): Task[] {
    return this.#swarm.membership.store.all('task').filter(this.#filter(filters)).map(view)
  }

  inspect(asked: string): Task {
    return view(this.find(asked))
  }

  find(asked: string): KeptTask {
    return findObject('task', this.#swarm.membership.store.all('task'), asked)
  }

  /** Of a service, all that are known. */
  idsOf(serviceId: string): string[] {
    const tasks = this.#swarm.membership.store.all('task')
    return tasks.filter(({ ServiceID }) => ServiceID === serviceId).map(({ ID }) => ID)
  }

  #filter(filters: Filters): (task: KeptTask) => boolean {
    refuseUnknown(filters, known)
    const { store, identity } = this.#swarm.membership
    const odd = filters['desired-state']?.find((state) => !desiredStates.includes(state))
    if (odd !== undefined) throw invalidParameter(`invalid filter 'desired-state=${odd}'`)
    const among = (name: string, holds: (value: string) => boolean): boolean =>
      (filters[name] ?? []).length === 0 || (filters[name] ?? []).some(holds)
    const nameOf = ({ ServiceID, Slot, NodeID, ID }: KeptTask): string =>
      `${store.get('service', ServiceID)?.Spec.Name ?? ServiceID}.${Slot ?? NodeID}.${ID}`
    return (task) =>
      among('id', (id) => task.ID.startsWith(id)) &&
      among('name', (name) => nameOf(task).startsWith(name)) &&
      among(
        'service',
        (asked) => task.ServiceID === asked || store.get('service', task.ServiceID)?.Spec.Name === asked,
      ) &&
      among('node', (asked) => task.NodeID === (asked === 'self' ? identity.nodeId : this.#nodeId(asked))) &&
      among('desired-state', (state) => task.DesiredState === state) &&
      among('runtime', (runtime) => (task.Spec.Runtime || 'container') === runtime) &&
      among('_up-to-date', (wanted) => this.#isUpToDate(task) === (wanted === 'true' || wanted === '1')) &&
      // Labels of its container, or of the service that it is of.
      (filters.label ?? []).every((asked) => hasLabel(this.#labels(task), asked))
  }

  #nodeId(asked: string): string | undefined {
    const nodes = this.#swarm.membership.store.all('node')
    return nodes.find(({ ID, Spec, Description }) => [ID, Spec.Name, Description.Hostname].includes(asked))?.ID
  }

  #labels({ ServiceID, Spec }: KeptTask): Record<string, string> {
    const service = this.#swarm.membership.store.get('service', ServiceID)
    return { ...service?.Spec.Labels, ...Spec.ContainerSpec?.Labels }
  }

  #isUpToDate(task: KeptTask): boolean {
    const service = this.#swarm.membership.store.get('service', task.ServiceID)
    return service !== undefined && isCurrent(service, task, hostPortsOf(service))
  }
}

function view(kept: KeptTask): Task {
  const { restarts: _, notBefore: __, hostPorts: ___, addresses: ____, attached: _____, ...task } = kept
  return task
}
