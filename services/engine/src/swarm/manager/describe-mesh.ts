// What nodes are told of tasks on other nodes: from what the store knows.
import { isEncrypted, type NetworkRecord } from '../../network/network-record.ts'
import type { Span } from '../../network/spans.ts'
import { sealedPort, tunnelAddressOf } from '../../network/tunnel.ts'
import type { NetworkMesh, ServiceMesh } from '../session/mesh.ts'
import type { KeptNetwork, KeptService, KeptTask } from '../store/objects.ts'
import type { SwarmStore } from '../store/swarm-store.ts'
import { containerName } from '../worker/task-container.ts'
import { namesOnNetwork } from '../worker/task-networks.ts'
import { isOver, isWanted } from './task-states.ts'

const isServing = (task: KeptTask): boolean => task.Status.State === 'running' && isWanted(task)

const hostOfNode = (store: SwarmStore, id: string): string => {
  const node = store.get('node', id)
  return node?.dataPath ?? node?.Status.Addr ?? ''
}

/** Of a node that can have none nothing is told: nobody sends it what others could read. */
function tunnelHostOf(store: SwarmStore, id: string): string {
  const { tunnelKey } = store.get('node', id) ?? {}
  return tunnelKey === undefined ? '' : tunnelAddressOf(tunnelKey)
}

/** Through which an encrypted network reaches other nodes that are on it: the port beside that of other networks. */
function tunnelOf(store: SwarmStore, { gateways }: KeptNetwork, nodeId: string, port: number): Partial<Span> {
  const peers = Object.keys(gateways).flatMap((id) => {
    const { tunnelKey: key } = store.get('node', id) ?? {}
    return id === nodeId || key === undefined ? [] : [{ key, host: hostOfNode(store, id) }]
  })
  return { port: sealedPort, tunnel: { port: port + 1, peers } }
}

/** Undefined: the node has nothing to do with it. */
export function networkMesh(store: SwarmStore, id: string, nodeId: string, port: number): NetworkMesh | undefined {
  const network = store.get('network', id)
  const gateway = network?.gateways[nodeId]
  if (network === undefined || gateway === undefined) return undefined
  const { record } = network
  const isSealed = isEncrypted(record)
  const hostOf = (node: string) => (isSealed ? tunnelHostOf(store, node) : hostOfNode(store, node))
  const others = store
    .all('task')
    .filter((task) => task.NodeID !== nodeId && task.addresses?.[record.id] !== undefined && !isOver(task))
  const peers = [
    ...Object.entries(network.gateways).filter(([node]) => node !== nodeId),
    ...others.map((task) => [task.NodeID ?? '', task.addresses?.[record.id] ?? ''] as const),
  ].map(([node, address]) => ({ address, host: hostOf(node) }))
  return {
    record: forNode(record, gateway),
    span: {
      ...{ vni: network.vni, port, local: hostOf(nodeId), peers: peers.filter(({ host }) => host !== '') },
      ...(isSealed ? tunnelOf(store, network, nodeId, port) : {}),
    },
    named: others.filter(isServing).map((task) => ({
      names: namesOf(store, task, record.id),
      address: task.addresses?.[record.id] ?? '',
    })),
  }
}

/** Only IPv4 addresses are given out for a whole swarm. */
const forNode = (record: NetworkRecord, Gateway: string): NetworkRecord => ({
  ...record,
  enableIPv6: false,
  ipam: {
    ...record.ipam,
    config: record.ipam.config.filter(({ Subnet }) => !Subnet?.includes(':')).map((config) => ({ ...config, Gateway })),
  },
})

function namesOf(store: SwarmStore, task: KeptTask, networkId: string): string[] {
  const { attached } = task
  if (attached !== undefined) return [attached]
  const service = store.get('service', task.ServiceID)
  const name = service?.Spec.Name ?? task.ServiceID
  const networks = (task.Spec.Networks ?? []).map(({ Target = '', Aliases = [] }) => ({
    target: Target,
    aliases: Aliases,
  }))
  const own = networks.find(({ target }) => target === networkId)?.aliases ?? []
  const isByName = service?.Spec.EndpointSpec?.Mode === 'dnsrr'
  return [
    containerName({ task, service: { name } }),
    ...namesOnNetwork(
      { name, isByName },
      networks.flatMap(({ aliases }) => aliases),
      own,
    ),
  ]
}

export function serviceMesh(store: SwarmStore, { ID, Spec, Endpoint }: KeptService, nodeId: string): ServiceMesh {
  const ports = (Endpoint.Ports ?? []).flatMap(({ PublishMode, PublishedPort, TargetPort, Protocol }) =>
    PublishMode === 'host' || !PublishedPort || !TargetPort
      ? []
      : [{ protocol: Protocol || 'tcp', hostPort: PublishedPort, port: TargetPort }],
  )
  const virtual = Spec.EndpointSpec?.Mode === 'dnsrr' ? [] : (Endpoint.VirtualIPs ?? [])
  if (ports.length === 0 && virtual.length === 0) return { id: ID, ports, tasks: [], elsewhere: [], addresses: [] }
  const serving = store.all('task').filter((task) => task.ServiceID === ID && isServing(task))
  const here = serving.filter(({ NodeID }) => NodeID === nodeId)
  return {
    ...{ id: ID, ports, tasks: here.map((task) => task.ID) },
    elsewhere: serving
      .filter((task) => !here.includes(task))
      .flatMap(({ NodeID = '' }) => store.get('node', NodeID)?.Status.Addr || []),
    addresses: virtual.map(({ NetworkID, Addr }) => ({
      ...{ network: NetworkID, address: Addr.split('/')[0] ?? '' },
      names: [Spec.Name ?? '', ...aliasesOn(Spec, NetworkID)],
      targets: serving.flatMap(({ addresses }) => addresses?.[NetworkID] ?? []),
    })),
  }
}

const aliasesOn = ({ TaskTemplate }: KeptService['Spec'], networkId: string): readonly string[] =>
  TaskTemplate?.Networks?.find(({ Target }) => Target === networkId)?.Aliases ?? []
