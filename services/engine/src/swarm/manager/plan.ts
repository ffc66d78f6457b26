// What a look at a service leads to: writes that are made together, and when to look again.
import type { GenericResource } from '../../resources/services/schema.ts'
import type { TaskState } from '../../resources/tasks/schema.ts'
import type { KeptNode, KeptService, KeptTask, KeptVolume, TaskVolume } from '../store/objects.ts'
import type { Removal, Write } from '../store/swarm-store.ts'
import { clusterMounts, VolumeUses } from '../volumes/volume-uses.ts'
import { Loads } from './loads.ts'
import { genericFor, type Placed, place } from './scheduler.ts'
import { hostPortsOf } from './task-states.ts'

export interface Surroundings {
  nowMs: number
  nodes: readonly KeptNode[]
  /** Of the cluster. */
  volumes: readonly KeptVolume[]
  /** Of all services. */
  tasks: readonly KeptTask[]
  /** Ended tasks that a place keeps. */
  history: number
  newId(): string
}

const noVolumes: TaskVolume[] = []

/** Where a task belongs: one of the replicas, or a node. */
export type Key = number | string

export interface TaskWish {
  key: Key
  desired: TaskState
  restarts?: number[]
  notBefore?: number
  iteration?: number
}

export class Plan {
  readonly service: KeptService
  readonly around: Surroundings
  readonly #changed = new Map<string, { task: KeptTask; index: number }>()
  readonly #removed = new Set<string>()
  /** Of the service, by id, as they are planned. */
  readonly #own: Map<string, KeptTask>
  #counted: Loads | undefined
  #uses: VolumeUses | undefined
  #service: KeptService | undefined
  wakeAt: number | undefined

  constructor(service: KeptService, around: Surroundings) {
    this.service = service
    this.around = around
    const own = around.tasks.filter(({ ServiceID }) => ServiceID === service.ID)
    this.#own = new Map(own.map((task) => [task.ID, task]))
  }

  /** Of the service, with what is planned already. */
  tasks(): KeptTask[] {
    return [...this.#own.values()]
  }

  change(task: KeptTask, change: Partial<KeptTask>): KeptTask {
    const known = this.#changed.get(task.ID)
    const before = known?.task ?? task
    const next = { ...before, ...change }
    this.#keep(next, known?.index ?? task.Version.Index, before)
    return next
  }

  #keep(task: KeptTask, index: number, before?: KeptTask): void {
    if (before !== undefined) {
      this.#counted?.remove(before)
      this.#uses?.remove(before)
    }
    this.#counted?.add(task)
    this.#uses?.add(task)
    this.#changed.set(task.ID, { task, index })
    this.#own.set(task.ID, task)
  }

  /** With what is planned already; counted when it is first asked for. */
  get #loads(): Loads {
    if (this.#counted !== undefined) return this.#counted
    this.#counted = new Loads(this.service.ID, this.#all())
    return this.#counted
  }

  #all(): KeptTask[] {
    const others = this.around.tasks.filter(({ ServiceID }) => ServiceID !== this.service.ID)
    return [...others, ...this.#own.values()]
  }

  /** Volumes of the cluster that the task would have there; undefined: it cannot have all that it needs. */
  #volumesOn(node: KeptNode, task: Pick<KeptTask, 'Spec'>): TaskVolume[] | undefined {
    if (clusterMounts(task).length === 0) return []
    this.#uses ??= new VolumeUses(this.around.volumes, this.#all())
    return this.#uses.on(node, task)
  }

  /** One that it has is to be used by nobody any more. */
  isDrained({ volumes = [] }: KeptTask): boolean {
    const isDrained = (id: string) =>
      this.around.volumes.some(({ ID, Spec }) => ID === id && Spec.Availability === 'drain')
    return volumes.some(({ ID }) => isDrained(ID))
  }

  desire(task: KeptTask, DesiredState: TaskState): KeptTask {
    return task.DesiredState === DesiredState ? task : this.change(task, { DesiredState })
  }

  remove(task: KeptTask): void {
    this.#changed.delete(task.ID)
    this.#own.delete(task.ID)
    this.#removed.add(task.ID)
  }

  changeService(change: Partial<KeptService>): void {
    this.#service = { ...(this.#service ?? this.service), ...change }
  }

  /** Not later than that. */
  wake(atMs: number): void {
    this.wakeAt = Math.min(this.wakeAt ?? Number.POSITIVE_INFINITY, atMs)
  }

  create({ key, desired, restarts, notBefore, iteration }: TaskWish): KeptTask {
    const { nowMs, newId } = this.around
    const { ID: ServiceID, Spec } = this.service
    const time = new Date(nowMs).toISOString().replace('Z', '000000Z')
    const ports = hostPortsOf(this.service)
    const draft: KeptTask = {
      ...{ ID: newId(), Version: { Index: 0 }, CreatedAt: time, UpdatedAt: time, Labels: {}, ServiceID },
      Spec: Spec.TaskTemplate ?? ({} as KeptTask['Spec']),
      ...(typeof key === 'number' ? { Slot: key } : { NodeID: key }),
      ...(iteration === undefined ? {} : { JobIteration: { Index: iteration } }),
      Status: { Timestamp: time, State: 'new', Message: 'created', PortStatus: {} },
      DesiredState: desired,
      ...(restarts === undefined || restarts.length === 0 ? {} : { restarts }),
      ...(notBefore === undefined ? {} : { notBefore }),
      ...(ports.length === 0 ? {} : { hostPorts: ports }),
    }
    const task = withPlace(
      draft,
      typeof key === 'number'
        ? this.#place(draft)
        : { nodeId: key, generic: this.#genericOn(key, draft) ?? [], volumes: this.#volumesAt(key, draft) ?? [] },
    )
    this.#keep(task, 0)
    return task
  }

  #place(task: KeptTask): Placed {
    const { nodes } = this.around
    const needsVolumes = clusterMounts(task).length > 0
    const volumesOn = needsVolumes ? (node: KeptNode) => this.#volumesOn(node, task) : () => noVolumes
    return place(task, nodes, { loads: this.#loads, volumesOn })
  }

  /** There is enough left there of what its tasks reserve and only the node knows, and of volumes of the cluster. */
  hasRoomFor(nodeId: string): boolean {
    const task = { Spec: this.service.Spec.TaskTemplate ?? ({} as KeptTask['Spec']) }
    return this.#genericOn(nodeId, task) !== undefined && this.#volumesAt(nodeId, task) !== undefined
  }

  #volumesAt(nodeId: string, task: Pick<KeptTask, 'Spec'>): TaskVolume[] | undefined {
    const node = this.around.nodes.find(({ ID }) => ID === nodeId)
    return node && this.#volumesOn(node, task)
  }

  #genericOn(nodeId: string, task: Pick<KeptTask, 'Spec'>): GenericResource[] | undefined {
    const node = this.around.nodes.find(({ ID }) => ID === nodeId)
    return node && genericFor(task, node.Description.Resources, this.#loads.of(nodeId))
  }

  /** Looks for a node again for one that found none. */
  placeAgain(task: KeptTask): void {
    const placed = withPlace(task, this.#place(task))
    const isSame = placed.Status.Err === task.Status.Err && placed.NodeID === task.NodeID
    if (!isSame || task.Status.State === 'new') this.change(task, placed)
  }

  get writes(): Write[] {
    const tasks = [...this.#changed.values()].map(({ task, index }): Write => ({ kind: 'task', object: task, index }))
    if (this.#service === undefined) return tasks
    return [{ kind: 'service', object: this.#service, index: this.service.Version.Index }, ...tasks]
  }

  get removals(): Removal[] {
    return [...this.#removed].map((id) => ({ kind: 'task', id }))
  }
}

function withPlace(task: KeptTask, { nodeId, problem, generic = [], volumes = [] }: Placed): KeptTask {
  const { Err: _, ...status } = task.Status
  if (nodeId === undefined) {
    const Status = { ...status, State: 'pending' as const, Message: 'pending task scheduling' }
    return { ...task, Status: problem === undefined ? Status : { ...Status, Err: problem } }
  }
  const Message = 'scheduler assigned task to node'
  const GenericResources = generic as KeptTask['GenericResources']
  return {
    ...{ ...task, NodeID: nodeId, Status: { ...status, State: 'assigned', Message } },
    ...(generic.length === 0 ? {} : { GenericResources }),
    ...(volumes.length === 0 ? {} : { volumes }),
  }
}
