// What is on each node, or is about to be: counted once, and kept up while tasks are placed.
import type { GenericResource } from '../../resources/services/schema.ts'
import type { KeptTask } from '../store/objects.ts'
import { isOver, isWanted } from './task-states.ts'

export interface NodeLoad {
  tasks: number
  /** Of them, those of the service that is looked at. */
  own: number
  nanoCpus: number
  memoryBytes: number
  /** What its tasks have of its generic resources. */
  generic: readonly GenericResource[]
  /** Ports of the node that are taken, each with how many take it. */
  ports: ReadonlyMap<string, number>
}

interface Counted extends NodeLoad {
  ports: Map<string, number>
}

const nothing: NodeLoad = { tasks: 0, own: 0, nanoCpus: 0, memoryBytes: 0, generic: [], ports: new Map() }

export class Loads {
  readonly #serviceId: string
  readonly #nodes = new Map<string, Counted>()

  constructor(serviceId: string, tasks: Iterable<KeptTask>) {
    this.#serviceId = serviceId
    for (const task of tasks) this.add(task)
  }

  of(nodeId: string): NodeLoad {
    return this.#nodes.get(nodeId) ?? nothing
  }

  add(task: KeptTask): void {
    this.#count(task, 1)
  }

  remove(task: KeptTask): void {
    this.#count(task, -1)
  }

  #count(task: KeptTask, by: 1 | -1): void {
    if (task.NodeID === undefined || !isWanted(task) || isOver(task)) return
    const load = this.#nodes.get(task.NodeID) ?? { ...nothing, ports: new Map() }
    this.#nodes.set(task.NodeID, load)
    const { NanoCPUs = 0, MemoryBytes = 0 } = task.Spec.Resources?.Reservations ?? {}
    load.tasks += by
    if (task.ServiceID === this.#serviceId) load.own += by
    load.nanoCpus += by * NanoCPUs
    load.memoryBytes += by * MemoryBytes
    const { GenericResources: generic = [] } = task
    if (generic.length > 0) load.generic = by > 0 ? [...load.generic, ...generic] : without(load.generic, generic)
    for (const port of portsOf(task)) load.ports.set(port, (load.ports.get(port) ?? 0) + by)
  }
}

/** Each of them once less. */
function without(all: readonly GenericResource[], gone: readonly GenericResource[]): GenericResource[] {
  const texts = gone.map((one) => JSON.stringify(one))
  return all.filter((one) => {
    const at = texts.indexOf(JSON.stringify(one))
    if (at >= 0) texts.splice(at, 1)
    return at < 0
  })
}

/** `8080/tcp` */
export const portsOf = ({ hostPorts = [] }: KeptTask): string[] =>
  hostPorts.map(({ Protocol = 'tcp', PublishedPort }) => `${PublishedPort ?? 0}/${Protocol}`)
