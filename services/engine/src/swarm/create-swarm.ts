// Puts the swarm together, with the routes of everything in it.
import { join } from 'node:path'
import type { Kernel } from '@atoll/kernel/kernel'
import { forbidden } from '../errors.ts'
import type { EngineEvents } from '../events/engine-events.ts'
import type { ImageRegistry } from '../images/image-registry.ts'
import type { Images } from '../images/images.ts'
import { parseSubnet } from '../network/address.ts'
import type { BridgeNetworking } from '../network/bridge-networking.ts'
import { type NetworkRecord, predefinedNames, scopeOf } from '../network/network-record.ts'
import { configRoutes } from '../resources/configs/routes.ts'
import { Configs } from '../resources/configs/service.ts'
import type { Logs } from '../resources/containers/logs/service.ts'
import type { ContainerRecord } from '../resources/containers/record.ts'
import type { Containers } from '../resources/containers/service.ts'
import type { Networks } from '../resources/networks/service.ts'
import { nodeRoutes } from '../resources/nodes/routes.ts'
import { Nodes } from '../resources/nodes/service.ts'
import { secretRoutes } from '../resources/secrets/routes.ts'
import { Secrets } from '../resources/secrets/service.ts'
import { TaskLogs } from '../resources/services/logs.ts'
import { serviceRoutes } from '../resources/services/routes.ts'
import { Services } from '../resources/services/service.ts'
import { swarmRoutes } from '../resources/swarm/routes.ts'
import { SwarmService } from '../resources/swarm/service.ts'
import { taskRoutes } from '../resources/tasks/routes.ts'
import { Tasks } from '../resources/tasks/service.ts'
import type { Volumes } from '../resources/volumes/service.ts'
import { swarmId } from './identity/tokens.ts'
import { Orchestrator } from './manager/orchestrator.ts'
import { clusterOf, type Membership } from './membership.ts'
import { describeServices } from './network-services.ts'
import { Swarm, type SwarmWork } from './swarm.ts'
import { tellEvents } from './swarm-events.ts'
import type { NodeFacts } from './this-node.ts'
import { Attachments } from './worker/attachments.ts'
import { Balancing } from './worker/balancing.ts'
import type { Assignment } from './worker/dispatcher.ts'
import { LocalDispatcher } from './worker/local-dispatcher.ts'
import { type TaskNetworks, taskIdLabel } from './worker/task-container.ts'
import { TaskFiles } from './worker/task-files.ts'
import { Worker } from './worker/worker.ts'

export interface SwarmParts {
  kernel: Pick<Kernel, 'clock' | 'ids' | 'log'>
  events: EngineEvents
  folder: string
  facts(): NodeFacts
  containers: Containers
  images: Images
  registry: Pick<ImageRegistry, 'pull'>
  networks: Networks
  volumes: Volumes
  networking: BridgeNetworking
  logs: Logs
}

export function createSwarm(parts: SwarmParts) {
  const { kernel, events, folder, facts, networks, containers } = parts
  const { clock, ids, log } = kernel
  const swarm = new Swarm({
    ...{ clock, ids, log, folder, facts },
    opened: (store) => tellEvents(store, events),
    begin: (membership) => beginWork(parts, membership),
  })
  parts.volumes.isManager = () => swarm.state === 'active/manager'
  networks.ofSwarm = {
    pools: () => poolsOf(swarm, swarmId(ids.hex())),
    neededBy: (id) => servicesOn(swarm, id),
    isTask: (id) => containers.find(id) !== undefined && containers.get(id).config.Labels?.[taskIdLabel] !== undefined,
    describe: (record) => describeNetwork(swarm, record, containers.all()),
  }
  const tasks = new Tasks(swarm)
  const logs = new TaskLogs({ logs: parts.logs, containers: () => containers.all() })
  const findNetwork = (name: string) => networkForServices(networks, name)
  const routes = [
    ...swarmRoutes(new SwarmService(swarm, () => clock.now())),
    ...nodeRoutes(new Nodes(swarm)),
    ...secretRoutes(new Secrets(swarm, ids)),
    ...configRoutes(new Configs(swarm, ids)),
    ...serviceRoutes(new Services({ swarm, ids, clock, findNetwork }), tasks, logs),
    ...taskRoutes(tasks, logs),
  ]
  return { swarm, routes }
}

/** Undefined where this machine manages no swarm. */
function poolsOf(swarm: Swarm, id: string) {
  if (swarm.state !== 'active/manager') return undefined
  const { DefaultAddrPool, SubnetSize: size } = clusterOf(swarm.membership)
  return { id, pools: DefaultAddrPool.flatMap((text) => parseSubnet(text) ?? []).map((base) => ({ base, size })) }
}

function describeNetwork(swarm: Swarm, record: NetworkRecord, containers: readonly ContainerRecord[]) {
  if (scopeOf(record) !== 'swarm' || swarm.state !== 'active/manager') return { Services: {} }
  const { store } = swarm.membership
  const Peers = store.all('node').map(({ ID, Status }) => ({ Name: ID, IP: Status.Addr }))
  return { Peers, Services: describeServices(store, containers, record.id) }
}

const servicesOn = (swarm: Swarm, network: string): string[] =>
  swarm.state !== 'active/manager'
    ? []
    : swarm.membership.store
        .all('service')
        .filter(({ Spec }) => Spec.TaskTemplate?.Networks?.some(({ Target }) => Target === network) === true)
        .map(({ Spec }) => Spec.Name ?? '')

function networkForServices(networks: Networks, name: string): { id: string } {
  const { Id, Name, Scope } = networks.inspect(name, { verbose: false })
  if (Scope === 'swarm' || predefinedNames.has(Name)) return { id: Id }
  throw forbidden(
    `The network ${Name} cannot be used with services. Only networks scoped to the swarm can be used, such as those created with the overlay driver.`,
  )
}

/** Looks after services, and runs the tasks of this machine. */
async function beginWork(parts: SwarmParts, membership: Membership): Promise<SwarmWork> {
  const { kernel, events, folder, containers, images, registry, networks } = parts
  const { clock, ids, log } = kernel
  const { store } = membership
  const worker = new Worker(
    {
      ...{ containers, images, registry },
      dispatcher: new LocalDispatcher(membership, clock),
      files: new TaskFiles(join(folder, 'swarm')),
      networksOf: (assignment) => networksOf(assignment, networks),
      onHealth: (id, changed) =>
        events.listen(({ Type, Action, Actor }) => {
          if (Type === 'container' && Actor.ID === id && Action.startsWith('health_status')) changed()
        }),
    },
    log,
  )
  await worker.start()
  const balancing = new Balancing({
    ...{ store, log, balancer: parts.networking.balancer },
    containers: () => containers.all(),
    network: (id) => networks.liveOfSwarm(id),
  })
  const newId = () => swarmId(ids.hex())
  const attachments = new Attachments({
    ...{ store, events, log, newId, nodeId: membership.identity.nodeId },
    containers: () => containers.all(),
    attached: () => networks.attachedOfSwarm(),
    now: () => clock.now(),
  })
  const orchestrator = new Orchestrator({ ...{ store, clock, log, newId }, cluster: () => clusterOf(membership) })
  return {
    async stop(isLeaving) {
      orchestrator.stop()
      await attachments.stop()
      await worker.stop(isLeaving)
      await balancing.stop(isLeaving)
      if (isLeaving) await networks.removeOfSwarm()
    },
  }
}

/** By the names that networks have on this machine. */
function networksOf({ task, service }: Assignment, networks: Networks): TaskNetworks {
  const attached = (task.Spec.Networks ?? []).map(({ Target = '', Aliases = [] }) => {
    const { Name, Scope } = networks.inspect(Target, { verbose: false })
    return { name: Name, isOfSwarm: Scope === 'swarm', aliases: Aliases }
  })
  // Where an address stands for the tasks, the names lead there.
  const tasksNames = [service.name, ...attached.flatMap(({ aliases }) => aliases)].map((name) => `tasks.${name}`)
  const namesOf = (aliases: readonly string[]) =>
    service.isByName ? [service.name, ...aliases, ...tasksNames] : tasksNames
  return {
    mode: attached[0]?.name,
    endpoints: Object.fromEntries(
      attached.map(({ name, isOfSwarm, aliases }) => [name, { Aliases: isOfSwarm ? namesOf(aliases) : [] }]),
    ),
  }
}
