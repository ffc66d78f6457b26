// What is given once in a whole swarm: names, addresses on networks, published ports. Each is a key of its own in the
// store, written together with the object that has it: however many managers write at once, none is given twice.
import { isOver } from '../manager/task-states.ts'
import type { KeptNetwork, KeptService, KeptTask, Kind, Kinds } from './objects.ts'

const named = (kind: Kind, name: string | undefined): string[] => (name === undefined ? [] : [`${kind}/${name}`])
const addresses = (network: string, all: readonly string[]): string[] =>
  all.map((address) => `address/${network}/${address.split('/')[0]}`)

const byKind: { [K in Kind]?: (object: Kinds[K]) => string[] } = {
  secret: ({ Spec }) => named('secret', Spec.Name),
  config: ({ Spec }) => named('config', Spec.Name),
  volume: ({ name }) => named('volume', name),
  service: claimsOfService,
  network: claimsOfNetwork,
  task: claimsOfTask,
}

export function claimsOf<K extends Kind>(kind: K, object: Kinds[K] | undefined): string[] {
  return object === undefined ? [] : [...new Set(byKind[kind]?.(object) ?? [])]
}

function claimsOfService({ Spec, Endpoint }: KeptService): string[] {
  const ports = (Endpoint.Ports ?? []).flatMap(({ PublishMode, PublishedPort, Protocol }) =>
    PublishMode === 'host' || !PublishedPort ? [] : [`port/${PublishedPort}-${Protocol || 'tcp'}`],
  )
  const virtual = (Endpoint.VirtualIPs ?? []).flatMap(({ NetworkID, Addr }) => addresses(NetworkID, [Addr]))
  return [...named('service', Spec.Name), ...ports, ...virtual]
}

function claimsOfNetwork({ ID, record, vni, gateways }: KeptNetwork): string[] {
  return [...named('network', record?.name), `vni/${vni}`, ...addresses(ID, Object.values(gateways))]
}

/** One that has ended has nothing any more. */
function claimsOfTask(task: KeptTask): string[] {
  if (isOver(task)) return []
  return Object.entries(task.addresses ?? {}).flatMap(([network, address]) => addresses(network, [address]))
}
