// Which node a task goes to: one that may have it and has room for it, of these one with the fewest like it.
import type { Node } from '../../resources/nodes/schema.ts'
import type { KeptTask } from '../store/objects.ts'
import { goArchitecture, readConstraints, readSpread } from './constraints.ts'
import { isOver, isWanted } from './task-states.ts'

const unavailableWords = 'not available for new tasks'

type Check = { fits(node: Node): boolean; why: string }

export interface Placed {
  nodeId?: string
  /** Why no node will do. */
  problem?: string
}

/** What is on a node, or is about to be. */
const load = (tasks: readonly KeptTask[], node: Node): KeptTask[] =>
  tasks.filter((task) => task.NodeID === node.ID && isWanted(task) && !isOver(task))

export const mayTakeTasks = ({ Status, Spec }: Node): boolean =>
  Status.State === 'ready' && Spec.Availability === 'active'

/** A task of a node that is down, or gone, may run on; nobody can tell, and nobody waits for its end. */
export const isOutOfReach = (nodes: readonly Node[], { NodeID }: KeptTask): boolean =>
  NodeID !== undefined && (nodes.find(({ ID }) => ID === NodeID)?.Status.State ?? 'down') === 'down'

/** Its tasks go on there. */
export const mayKeepTasks = (node: Node | undefined): boolean =>
  node !== undefined && node.Status.State !== 'down' && node.Spec.Availability !== 'drain'

function checksOf(task: KeptTask, tasks: readonly KeptTask[]): Check[] {
  const { Placement, Resources } = task.Spec
  const { Constraints = [], Platforms = [], MaxReplicas = 0 } = Placement ?? {}
  const satisfies = readConstraints(Constraints)
  const wanted = Resources?.Reservations
  const ports = (task.hostPorts ?? []).map(portName)
  const sum = (node: Node, name: 'NanoCPUs' | 'MemoryBytes'): number =>
    load(tasks, node).reduce((total, { Spec }) => total + (Spec.Resources?.Reservations?.[name] ?? 0), 0)
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
      fits: (node) =>
        sum(node, 'NanoCPUs') + (wanted?.NanoCPUs ?? 0) <= node.Description.Resources.NanoCPUs &&
        sum(node, 'MemoryBytes') + (wanted?.MemoryBytes ?? 0) <= node.Description.Resources.MemoryBytes &&
        (wanted?.GenericResources ?? []).length === 0,
      why: 'insufficient resources',
    },
    {
      fits: (node) =>
        MaxReplicas === 0 ||
        load(tasks, node).filter(({ ServiceID }) => ServiceID === task.ServiceID).length < MaxReplicas,
      why: 'max replicas per node limit exceed',
    },
    {
      fits: (node) =>
        ports.length === 0 ||
        !load(tasks, node).some((other) => other.hostPorts?.map(portName).some((one) => ports.includes(one))),
      why: 'host-mode port already in use',
    },
  ]
}

const portName = ({
  Protocol = 'tcp',
  PublishedPort,
}: {
  Protocol?: string | undefined
  PublishedPort?: number | undefined
}) => `${PublishedPort ?? 0}/${Protocol}`

export function place(task: KeptTask, nodes: readonly Node[], tasks: readonly KeptTask[]): Placed {
  const checks = checksOf(task, tasks)
  let left = [...nodes]
  const reasons: string[] = []
  for (const { fits, why } of checks) {
    const fitting = left.filter(fits)
    const lost = left.length - fitting.length
    const counted = `${lost} node${lost > 1 ? 's' : ''}`
    if (lost > 0) reasons.push(why === unavailableWords ? `${counted} ${why}` : `${why} on ${counted}`)
    left = fitting
  }
  const [best] = left.sort(byPreference(task, nodes, tasks))
  return best === undefined
    ? { problem: `no suitable node${reasons.length > 0 ? ` (${reasons.join('; ')})` : ''}` }
    : { nodeId: best.ID }
}

/** First what is to be spread over, then who has fewest of the service, then who has fewest at all. */
function byPreference(
  task: KeptTask,
  nodes: readonly Node[],
  tasks: readonly KeptTask[],
): (one: Node, other: Node) => number {
  const own = tasks.filter(({ ServiceID }) => ServiceID === task.ServiceID)
  const ofGroup = (read: (node: Node) => string) => (node: Node) =>
    nodes.filter((each) => read(each) === read(node)).reduce((sum, each) => sum + load(own, each).length, 0)
  const spreads = (task.Spec.Placement?.Preferences ?? []).flatMap(({ Spread }) =>
    Spread?.SpreadDescriptor ? [ofGroup(readSpread(Spread.SpreadDescriptor))] : [],
  )
  const loads = [...spreads, (node: Node) => load(own, node).length, (node: Node) => load(tasks, node).length]
  return (one, other) => loads.reduce((found, count) => found || count(one) - count(other), 0)
}
