// Puts the swarm together, with the routes of everything in it.
import { forbidden } from '../errors.ts'
import { parseSubnet } from '../network/address.ts'
import { type NetworkRecord, predefinedNames, scopeOf } from '../network/network-record.ts'
import { configRoutes } from '../resources/configs/routes.ts'
import { Configs } from '../resources/configs/service.ts'
import type { ContainerRecord } from '../resources/containers/record.ts'
import { makeIngress } from '../resources/networks/ingress.ts'
import type { Networks } from '../resources/networks/service.ts'
import { nodeRoutes } from '../resources/nodes/routes.ts'
import { Nodes } from '../resources/nodes/service.ts'
import { secretRoutes } from '../resources/secrets/routes.ts'
import { Secrets } from '../resources/secrets/service.ts'
import { TaskLogs } from '../resources/services/logs.ts'
import { serviceRoutes } from '../resources/services/routes.ts'
import { ingressPorts, Services } from '../resources/services/service.ts'
import { swarmRoutes } from '../resources/swarm/routes.ts'
import { SwarmService } from '../resources/swarm/service.ts'
import { taskRoutes } from '../resources/tasks/routes.ts'
import { Tasks } from '../resources/tasks/service.ts'
import { swarmId } from './identity/tokens.ts'
import { logSources } from './log-sources.ts'
import { dropNetwork, keepNetwork, networksSeen } from './manager/kept-networks.ts'
import { clusterOf } from './membership.ts'
import { describeServices } from './network-services.ts'
import { Swarm } from './swarm.ts'
import { tellEvents } from './swarm-events.ts'
import { beginManager, beginWorker, type SwarmParts } from './swarm-work.ts'
import { SwarmVolumes } from './volumes/cluster-volumes.ts'

export function createSwarm(parts: SwarmParts) {
  const { kernel, events, folder, facts, networks, containers } = parts
  const { clock, ids, log } = kernel
  const swarm = new Swarm({
    ...{ clock, ids, log, folder, facts, outside: parts.outside },
    tunnelKey: () => parts.networking.tunnelKey(),
    ownBridges: () => networks.bridges(),
    opened: (store) => tellEvents(store, events),
    manage: (membership) => beginManager(parts, membership),
    work: (identity, calls) => beginWorker(parts, identity, calls),
  })
  parts.networking.guests = {
    admit: async (container, network, wanted) => (await swarm.guests())?.admit(container, network, wanted),
    address: (containerId, networkId) => swarm.guestsNow?.address(containerId, networkId),
    settle: (containerId) => swarm.guestsNow?.settle(containerId),
  }
  parts.volumes.ofSwarm = new SwarmVolumes(swarm, ids)
  networks.ofSwarm = {
    pools: () => poolsOf(swarm, swarmId(ids.hex())),
    isWorker: () => swarm.identity !== undefined && 'credentials' in swarm.identity,
    neededBy: (id) => servicesOn(swarm, id, id === networks.ingressId()),
    keep: (record, seen) => keepNetwork(swarm.membership, record, seen),
    drop: (record) => dropNetwork(swarm.membership.store, record),
    record: (id) => networkOf(swarm, id),
    isTask: (id) => containers.find(id) !== undefined && containers.get(id).taskId !== undefined,
    describe: (record) => describeNetwork(swarm, record, containers.all()),
  }
  const tasks = new Tasks(swarm)
  const logs = new TaskLogs({ sources: (ids) => logSources(swarm, ids, parts) })
  const findNetwork = (name: string) => networkForServices(networks, name)
  const routes = [
    ...swarmRoutes(
      new SwarmService(
        swarm,
        () => clock.now(),
        () => makeIngress(networks, log),
      ),
    ),
    ...nodeRoutes(new Nodes(swarm)),
    ...secretRoutes(new Secrets(swarm, ids)),
    ...configRoutes(new Configs(swarm, ids)),
    ...serviceRoutes(
      new Services({ swarm, ids, clock, findNetwork, hasIngress: () => networks.ingressId() !== undefined }),
      tasks,
      logs,
    ),
    ...taskRoutes(tasks, logs),
  ]
  return { swarm, routes }
}

/** Undefined where this machine manages no swarm. */
function poolsOf(swarm: Swarm, id: string) {
  if (swarm.state !== 'active/manager') return undefined
  const { DefaultAddrPool, SubnetSize: size } = clusterOf(swarm.membership)
  return {
    id,
    pools: DefaultAddrPool.flatMap((text) => parseSubnet(text) ?? []).map((base) => ({ base, size })),
    networks: swarm.membership.store.all('network').map(({ record }) => record),
    seen: networksSeen(swarm.membership.store),
  }
}

const networkOf = (swarm: Swarm, id: string): NetworkRecord | undefined =>
  swarm.state === 'active/manager' ? swarm.membership.store.get('network', id)?.record : undefined

function describeNetwork(swarm: Swarm, record: NetworkRecord, containers: readonly ContainerRecord[]) {
  if (scopeOf(record) !== 'swarm' || swarm.state !== 'active/manager') return { Services: {} }
  const { store } = swarm.membership
  const Peers = store.all('node').map(({ ID, Status }) => ({ Name: ID, IP: Status.Addr }))
  return { Peers, Services: describeServices(store, containers, record.id) }
}

const servicesOn = (swarm: Swarm, network: string, isIngress: boolean): string[] =>
  swarm.state !== 'active/manager'
    ? []
    : swarm.membership.store
        .all('service')
        .filter(
          (service) =>
            (isIngress && ingressPorts(service).length > 0) ||
            service.Spec.TaskTemplate?.Networks?.some(({ Target }) => Target === network) === true,
        )
        .map(({ Spec }) => Spec.Name ?? '')

function networkForServices(networks: Networks, name: string): { id: string } {
  const { Id, Name, Scope } = networks.inspect(name, { verbose: false })
  if (Scope === 'swarm' || predefinedNames.has(Name)) return { id: Id }
  throw forbidden(
    `The network ${Name} cannot be used with services. Only networks scoped to the swarm can be used, such as those created with the overlay driver.`,
  )
}
