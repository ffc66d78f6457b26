// Services of a swarm on this host: ports that lead to one of several tasks, and addresses that stand for all of them.
// The firewall chooses by itself: a number is drawn for each connection, and each number leads to a task.
import { isDeepStrictEqual } from 'node:util'
import { formatAddress, parseAddress } from './address.ts'
import type { Firewall } from './firewall.ts'
import { balanceBuckets, type Element } from './firewall-rules.ts'
import type { HostPorts } from './host-ports.ts'
import { hasIPv6 } from './host-settings.ts'
import { runIp } from './links.ts'
import type { LiveNetwork } from './live-network.ts'

export interface BalancedPort {
  protocol: string
  hostPort: number
  /** Of the tasks. */
  port: number
}

export interface VirtualAddress {
  network: LiveNetwork
  address: string
  /** By which tasks on the network know it. */
  names: readonly string[]
  /** Addresses of tasks on the network. */
  targets: readonly string[]
}

export interface Balanced {
  ports: readonly BalancedPort[]
  /** Addresses of tasks, as this host reaches them. */
  targets: readonly string[]
  /** Addresses of machines that have the others, once for each task: they send on what comes from here to their own. */
  peers: readonly string[]
  addresses: readonly VirtualAddress[]
}

const nothing: Balanced = { ports: [], targets: [], peers: [], addresses: [] }
const holderOf = (service: string): string => `service ${service}`

export class Balancer {
  readonly #firewall: Firewall
  readonly #hostPorts: HostPorts
  readonly #known = new Map<string, Balanced>()
  /** What was begun and failed: some of it may be there. */
  readonly #begun = new Map<string, Balanced>()
  #peers: readonly string[] = []

  constructor(firewall: Firewall, hostPorts: HostPorts) {
    this.#firewall = firewall
    this.#hostPorts = hostPorts
  }

  /** Throws where a port is somebody else's: then the service has none, but everything else. */
  async set(service: string, wanted: Balanced): Promise<void> {
    const before = this.#known.get(service) ?? nothing
    let next = wanted
    let problem: unknown
    if (!isDeepStrictEqual(before.ports, wanted.ports)) {
      await this.#hold(service, wanted).catch((error: unknown) => {
        problem = error
        next = { ...wanted, ports: [] }
      })
    }
    const had = [before, this.#begun.get(service) ?? nothing]
    this.#begun.set(service, next)
    const [old, fresh] = [had.flatMap(elementsOf), elementsOf(next)]
    const isIn = (list: readonly Element[]) => {
      const names = new Set(list.map(({ set, key, value }) => `${set} ${key} ${value}`))
      return ({ set, key, value }: Element) => names.has(`${set} ${key} ${value}`)
    }
    const [isKept, wasThere] = [isIn(fresh), isIn(elementsOf(before))]
    await this.#bindAddresses(had, next)
    await this.#firewall.change(
      fresh.filter((element) => !wasThere(element)),
      old.filter((element) => !isKept(element)),
    )
    // Not before: what failed is done again.
    this.#known.set(service, next)
    this.#begun.delete(service)
    for (const { network, names } of before.addresses) network.forgetService(service, names)
    for (const { network, names, address } of next.addresses) network.nameService(service, names, address)
    if (problem !== undefined) throw problem
  }

  /** The engine ends: what the firewall does goes on. */
  releasePorts(): void {
    for (const service of this.#known.keys()) this.#hostPorts.release(holderOf(service))
  }

  /** Other machines of the swarm, by the addresses that they send from. */
  async setPeers(addresses: readonly string[]): Promise<void> {
    const elements = (list: readonly string[]) => list.map((key) => ({ set: 'peers4', key }))
    const gone = this.#peers.filter((one) => !addresses.includes(one))
    const fresh = addresses.filter((one) => !this.#peers.includes(one))
    await this.#firewall.change(elements(fresh), elements(gone))
    this.#peers = addresses
  }

  async remove(service: string): Promise<void> {
    if (!this.#known.has(service) && !this.#begun.has(service)) return
    await this.set(service, nothing)
    this.#known.delete(service)
  }

  async #hold(service: string, next: Balanced): Promise<void> {
    const owner = holderOf(service)
    this.#hostPorts.release(owner)
    if (next.ports.length === 0) return
    const wanted = next.ports.map(({ protocol, hostPort, port }) => ({
      ...{ name: `${port}/${protocol}`, port, protocol, hostAddress: '', hostPorts: [hostPort, hostPort] as const },
    }))
    let turn = 0
    await this.#hostPorts.claim(owner, wanted, {
      endpoint: owner,
      defaultAddresses: hasIPv6() ? ['0.0.0.0', '::'] : ['0.0.0.0'],
      // For what the firewall does not send on: IPv6, to tasks that have none.
      target: (port) => {
        const { targets, peers, ports } = this.#known.get(service) ?? nothing
        const chosen = turn++ % Math.max(targets.length + peers.length, 1)
        const peer = peers[chosen - targets.length]
        if (peer !== undefined) return { address: peer, port: ports.find((one) => one.port === port)?.hostPort ?? port }
        const address = targets[chosen]
        return address === undefined ? undefined : { address, port }
      },
    })
  }

  /** Containers find them on their own network: the host has them, and answers for them. */
  async #bindAddresses(had: readonly Balanced[], next: Balanced): Promise<void> {
    const lineOf = ({ network, address }: VirtualAddress): string => `${address}/32 dev ${network.bridge}`
    const [old, fresh] = [had.flatMap(({ addresses }) => addresses.map(lineOf)), next.addresses.map(lineOf)]
    const gone = old.filter((line) => !fresh.includes(line))
    const bound = had[0]?.addresses.map(lineOf) ?? []
    const added = fresh.filter((line) => !bound.includes(line))
    await runIp(added.map((line) => `address replace ${line}`))
    // The network may be gone with its link.
    await runIp(gone.map((line) => `address delete ${line}`)).catch(() => {})
  }
}

/** Every number leads to somebody, as evenly as they can be shared out. */
const spread = <T>(targets: readonly T[]): T[] =>
  targets.length === 0
    ? []
    : Array.from({ length: balanceBuckets }, (_, bucket) => targets[bucket % targets.length] as T)

const sorted = (addresses: readonly string[]): string[] =>
  addresses
    .flatMap((text) => parseAddress(text) ?? [])
    .sort((one, other) => (one.value < other.value ? -1 : 1))
    .map(formatAddress)

const elementsOf = ({ ports, targets, peers, addresses }: Balanced): Element[] => [
  ...ports.flatMap((port) => portElements(port, targets, peers)),
  ...addresses.flatMap(({ address, targets: behind }) => [
    { set: 'virtual', key: address },
    ...spread(sorted(behind)).map((value, bucket) => ({ set: 'virtual4', key: `${address} . ${bucket}`, value })),
  ]),
]

function portElements(
  { protocol, hostPort, port }: BalancedPort,
  targets: readonly string[],
  peers: readonly string[],
): Element[] {
  const here = sorted(targets).map((target) => `${target} . ${port}`)
  const all = [...here, ...sorted(peers).map((peer) => `${peer} . ${hostPort}`)]
  const numbered = (set: string, values: readonly string[]) =>
    spread(values).map((value, bucket) => ({ set, key: `${protocol} . ${hostPort} . ${bucket}`, value }))
  return [
    { set: 'balanced', key: `${protocol} . ${hostPort}` },
    ...numbered('balance4', all),
    ...(here.length === 0 ? [] : [{ set: 'balanced_here', key: `${protocol} . ${hostPort}` }]),
    ...(peers.length === 0 ? [] : [{ set: 'balanced_far', key: `${protocol} . ${hostPort}` }]),
    ...numbered('balance4here', here),
  ]
}
