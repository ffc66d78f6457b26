// Which node a task goes to: one that may have it and has room for it, of these one with the fewest like it.
import type { Node } from '../../resources/nodes/schema.ts'
import type { GenericResource } from '../../resources/services/schema.ts'
import { assignGeneric } from '../generic-resources.ts'
import type { KeptNode, KeptTask, TaskVolume } from '../store/objects.ts'
import { goArchitecture, readConstraints, readSpread } from './constraints.ts'
import { type Loads, type NodeLoad, portsOf } from './loads.ts'

const unavailableWords = 'not available for new tasks'

type Check = { fits(node: KeptNode): boolean; why: string }

export interface Placed {
  nodeId?: string
  /** What it has of the node's generic resources. */
  generic?: GenericResource[]
  volumes?: TaskVolume[]
  /** Why no node will do. */
  problem?: string
}

export const mayTakeTasks = ({ Status, Spec }: Node): boolean =>
  Status.State === 'ready' && Spec.Availability === 'active'

/** A task of a node that is down, or gone, may run on; nobody can tell, and nobody waits for its end. */
export const isOutOfReach = (nodes: readonly Node[], { NodeID }: KeptTask): boolean =>
  NodeID !== undefined && (nodes.find(({ ID }) => ID === NodeID)?.Status.State ?? 'down') === 'down'

/** Its tasks go on there. */
export const mayKeepTasks = (node: Node | undefined): boolean =>
  node !== undefined && node.Status.State !== 'down' && node.Spec.Availability !== 'drain'

/** What nodes have already, and what they could have. */
export interface Room {
  loads: Loads
  /** Undefined: the task cannot have there what it needs of volumes of the cluster. */
  volumesOn(node: KeptNode): TaskVolume[] | undefined
}

function checksOf(task: KeptTask, { loads, volumesOn }: Room): Check[] {
  const { Placement, Resources } = task.Spec
  const { Constraints = [], Platforms = [], MaxReplicas = 0 } = Placement ?? {}
  const satisfies = readConstraints(Constraints)
  const wanted = Resources?.Reservations
  const ports = portsOf(task)
  return [
    { fits: mayTakeTasks, why: unavailableWords },
    { fits: satisfies, why: 'scheduling constraints not satisfied' },
    {
      fits: ({ Description: { Platform } }) =>
        Platforms.length === 0 ||
        Platforms.some(
          ({ OS = '', Architecture = '' }) =>
            (OS === '' || OS === Platform.OS) &&
            (Architecture === '' || goArchitecture(Architecture) === goArchitecture(Platform.Architecture)),
        ),
      why: 'unsupported platform',
    },
    {
      fits: ({ ID, Description: { Resources: given } }) =>
        loads.of(ID).nanoCpus + (wanted?.NanoCPUs ?? 0) <= given.NanoCPUs &&
        loads.of(ID).memoryBytes + (wanted?.MemoryBytes ?? 0) <= given.MemoryBytes &&
        genericFor(task, given, loads.of(ID)) !== undefined,
      why: 'insufficient resources',
    },
    {
      fits: ({ ID }) => MaxReplicas === 0 || loads.of(ID).own < MaxReplicas,
      why: 'max replicas per node limit exceed',
    },
    {
      fits: ({ ID }) => !ports.some((port) => (loads.of(ID).ports.get(port) ?? 0) > 0),
      why: 'host-mode port already in use',
    },
    { fits: (node) => volumesOn(node) !== undefined, why: 'no volume of the cluster can be used' },
  ]
}

/** What the task would get there of what the node offers; undefined: there is not enough. */
export const genericFor = (
  { Spec }: Pick<KeptTask, 'Spec'>,
  { GenericResources: offered = [] }: Node['Description']['Resources'],
  { generic }: Pick<NodeLoad, 'generic'>,
): GenericResource[] | undefined => {
  const { GenericResources: wanted = [] } = Spec.Resources?.Reservations ?? {}
  return wanted.length === 0 ? [] : assignGeneric(offered, generic, wanted)
}

export function place(task: KeptTask, nodes: readonly KeptNode[], room: Room): Placed {
  const { loads, volumesOn } = room
  let left = [...nodes]
  const reasons: string[] = []
  for (const { fits, why } of checksOf(task, room)) {
    const fitting = left.filter(fits)
    const lost = left.length - fitting.length
    const counted = `${lost} node${lost > 1 ? 's' : ''}`
    if (lost > 0) reasons.push(why === unavailableWords ? `${counted} ${why}` : `${why} on ${counted}`)
    left = fitting
  }
  const isBetter = byPreference(task, nodes, loads)
  const best = left.reduce<KeptNode | undefined>(
    (chosen, node) => (chosen === undefined || isBetter(node, chosen) < 0 ? node : chosen),
    undefined,
  )
  if (best === undefined) {
    return { problem: `no suitable node${reasons.length > 0 ? ` (${reasons.join('; ')})` : ''}` }
  }
  const generic = genericFor(task, best.Description.Resources, loads.of(best.ID)) ?? []
  return { nodeId: best.ID, generic, volumes: volumesOn(best) ?? [] }
}

/** First what is to be spread over, then who has fewest of the service, then who has fewest at all. */
function byPreference(task: KeptTask, nodes: readonly Node[], loads: Loads): (one: Node, other: Node) => number {
  const ofGroup = (read: (node: Node) => string) => {
    const sums = new Map<string, number>()
    for (const node of nodes) sums.set(read(node), (sums.get(read(node)) ?? 0) + loads.of(node.ID).own)
    return (node: Node) => sums.get(read(node)) ?? 0
  }
  const spreads = (task.Spec.Placement?.Preferences ?? []).flatMap(({ Spread }) =>
    Spread?.SpreadDescriptor ? [ofGroup(readSpread(Spread.SpreadDescriptor))] : [],
  )
  const counts = [...spreads, ({ ID }: Node) => loads.of(ID).own, ({ ID }: Node) => loads.of(ID).tasks]
  return (one, other) => counts.reduce((found, count) => found || count(one) - count(other), 0)
}
