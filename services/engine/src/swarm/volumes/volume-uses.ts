// Which volumes of the cluster tasks have, and which another may have on a node: as the volume may be shared, on
// nodes that reach it, and nowhere else before the last node has let go of it.
import type { Mount } from '../../resources/containers/schema.ts'
import { isOver } from '../manager/task-states.ts'
import type { KeptNode, KeptTask, KeptVolume, TaskVolume } from '../store/objects.ts'
import type { SwarmStore } from '../store/swarm-store.ts'

const groupPrefix = 'group:'

export const clusterMounts = ({ Spec }: Pick<KeptTask, 'Spec'>): Mount[] =>
  (Spec.ContainerSpec?.Mounts ?? []).filter(({ Type }) => Type === 'cluster')

/** Also one that is about to end: its container is still there. */
const uses = (task: KeptTask): boolean => task.NodeID !== undefined && (task.volumes ?? []).length > 0 && !isOver(task)

/** Ids of the nodes that need it now. */
export const nodesNeeding = (store: Pick<SwarmStore, 'all'>, { ID }: KeptVolume): Set<string> =>
  new Set(
    store.all('task').flatMap((task) => {
      const isUsed = uses(task) && task.volumes?.some((volume) => volume.ID === ID)
      return isUsed ? (task.NodeID ?? []) : []
    }),
  )

/** Also those that have not let go of it yet. */
export const nodesUsing = (store: Pick<SwarmStore, 'all'>, volume: KeptVolume): string[] => [
  ...new Set([...nodesNeeding(store, volume), ...(volume.PublishStatus ?? []).map(({ NodeID }) => NodeID)]),
]

export class VolumeUses {
  readonly #volumes: readonly KeptVolume[]
  /** By the volume: the tasks that have it. */
  readonly #tasks = new Map<string, Map<string, KeptTask>>()

  constructor(volumes: readonly KeptVolume[], tasks: Iterable<KeptTask>) {
    this.#volumes = volumes.toSorted((one, other) => (one.name < other.name ? -1 : 1))
    for (const task of tasks) this.add(task)
  }

  add(task: KeptTask): void {
    if (!uses(task)) return
    for (const { ID } of task.volumes ?? []) {
      const tasks = this.#tasks.get(ID) ?? new Map()
      this.#tasks.set(ID, tasks.set(task.ID, task))
    }
  }

  remove(task: KeptTask): void {
    for (const { ID } of task.volumes ?? []) this.#tasks.get(ID)?.delete(task.ID)
  }

  /** What the task would have there; undefined: not everything that it needs. */
  on(node: KeptNode, task: Pick<KeptTask, 'Spec'>): TaskVolume[] | undefined {
    const chosen: TaskVolume[] = []
    for (const mount of clusterMounts(task)) {
      const { Source = '', Target = '', ReadOnly: isReadOnly = false } = mount
      const volume = this.#named(Source).find(
        (each) =>
          !chosen.some(({ ID }) => ID === each.ID && Source.startsWith(groupPrefix)) &&
          isReachable(each, node) &&
          this.#hasRoom(node, each, chosen) &&
          this.#mayShare(each, node.ID, isReadOnly),
      )
      if (volume === undefined) return undefined
      chosen.push({ ID: volume.ID, Source, Target })
    }
    return chosen
  }

  #named(source: string): KeptVolume[] {
    if (!source.startsWith(groupPrefix)) return this.#volumes.filter(({ ID, name }) => source === name || source === ID)
    const group = source.slice(groupPrefix.length)
    return this.#volumes.filter(({ Spec }) => Spec.Group === group)
  }

  #mayShare({ ID, Spec, PublishStatus = [] }: KeptVolume, nodeId: string, isReadOnly: boolean): boolean {
    const { Scope, Sharing } = Spec.AccessMode
    const others = [...(this.#tasks.get(ID)?.values() ?? [])]
    const isElsewhere = [...others, ...PublishStatus].some(({ NodeID }) => NodeID !== nodeId)
    if (Scope === 'single' && isElsewhere) return false
    if (Sharing === 'all') return true
    if (Sharing === 'none') return others.length === 0
    return isReadOnly || (Sharing === 'onewriter' && !others.some((task) => writesTo(task, ID)))
  }

  /** Plugins may say how many volumes a node can have. */
  #hasRoom(node: KeptNode, { ID, driver }: KeptVolume, chosen: readonly TaskVolume[]): boolean {
    const max = csiOf(node, driver)?.maxVolumes ?? 0
    if (max === 0) return true
    const isThere = ({ ID: id }: KeptVolume): boolean =>
      chosen.some((each) => each.ID === id) ||
      [...(this.#tasks.get(id)?.values() ?? [])].some(({ NodeID }) => NodeID === node.ID)
    const there = this.#volumes.filter((each) => each.driver === driver && isThere(each))
    return there.some((each) => each.ID === ID) || there.length < max
  }
}

const csiOf = ({ csi = [] }: KeptNode, driver: string) => csi.find(({ plugin }) => plugin === driver)

/** It is there, may be used, and the node's plugin gets at it. */
function isReachable({ Info, Spec, driver, isRemoving }: KeptVolume, node: KeptNode): boolean {
  const here = csiOf(node, driver)
  if (Info === undefined || isRemoving === true || Spec.Availability !== 'active' || here === undefined) return false
  const places = Info.AccessibleTopology
  return (
    places.length === 0 ||
    places.some(({ Segments }) => Object.entries(Segments).every(([name, value]) => here.topology[name] === value))
  )
}

function writesTo(task: KeptTask, id: string): boolean {
  const targets = (task.volumes ?? []).filter(({ ID }) => ID === id).map(({ Target }) => Target)
  return clusterMounts(task).some(({ Target = '', ReadOnly }) => targets.includes(Target) && !ReadOnly)
}
