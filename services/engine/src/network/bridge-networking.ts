// The Networking port for this host: containers on bridges, with few programs run for each of them.
import { randomBytes } from 'node:crypto'
import type { Log } from '@atoll/kernel/telemetry/log'
import { conflict, isNotFound, noSuchNetwork, systemError } from '../errors.ts'
import type { EngineEvents } from '../events/engine-events.ts'
import type { EndpointSettings } from '../resources/containers/schema.ts'
import { type Attached, freeInterfaceName, isOn, isOnAlready, isPublishing, isWayOut } from './attached.ts'
import { Balancer } from './balancer.ts'
import { Bridges } from './bridges.ts'
import { ContainerQueue } from './container-queue.ts'
import { endpointProblems } from './endpoint-check.ts'
import { askedEndpoint, dnsNames, grantEndpoint, keepEndpoint, linkNameOf } from './endpoint-grant.ts'
import { Firewall, tableOf } from './firewall.ts'
import type { Guests } from './guests.ts'
import { HostPorts } from './host-ports.ts'
import { defaultRoutes, runIpInside } from './links.ts'
import type { LiveEndpoint, LiveNetwork } from './live-network.ts'
import { nameView } from './name-view.ts'
import {
  attachProblems,
  defaultBridge,
  hasAddresses,
  isBridged,
  isEncrypted,
  type NetworkRecord,
  scopeOf,
} from './network-record.ts'
import type { NetworkRegistry } from './network-registry.ts'
import { interfacesOf } from './network-stats.ts'
import type { AttachedNetworks, NetworkedContainer, Networking, NetworkStats } from './networking.ts'
import { ProgramFailed } from './program.ts'
import { PublishedPorts } from './published-ports.ts'
import { HostResolver, resolverOf, writeResolvConf } from './resolv-conf.ts'
import type { Span } from './spans.ts'
import { isVlan, parentOf } from './vlan-options.ts'
import { Vlans } from './vlans.ts'
import { allDone, unwire, wire } from './wiring.ts'

export interface BridgeNetworkingSettings {
  registry: NetworkRegistry
  events: EngineEvents
  log: Log
  /** Where the engine keeps its files. */
  folder: string
  /** Ten hexadecimal digits that tell engines on one host apart. */
  instance: string
  resolver?: HostResolver
}

export class BridgeNetworking implements Networking {
  readonly #registry: NetworkRegistry
  readonly #events: EngineEvents
  readonly #log: Log
  readonly #resolver: HostResolver
  readonly #firewall: Firewall
  readonly #bridges: Bridges
  readonly #vlans: Vlans
  readonly #ports: PublishedPorts
  readonly #attached = new Map<string, Attached>()
  readonly #queue = new ContainerQueue()
  /** For services of a swarm. */
  readonly balancer: Balancer
  /** Who gives addresses on networks of a swarm, where others manage it. */
  guests?: Guests

  constructor({ registry, events, log, folder, instance, resolver = new HostResolver() }: BridgeNetworkingSettings) {
    this.#registry = registry
    this.#events = events
    this.#log = log
    this.#resolver = resolver
    this.#firewall = new Firewall(tableOf(instance))
    const hostPorts = new HostPorts()
    this.#ports = new PublishedPorts(this.#firewall, hostPorts)
    this.balancer = new Balancer(this.#firewall, hostPorts)
    const viewOf = ({ containerId }: LiveEndpoint) => {
      const attached = this.#attached.get(containerId)
      if (attached === undefined) return undefined
      const { servers } = attached.container.dns
      return nameView(attached.endpoints, servers.length > 0 ? servers : resolver.settings.servers)
    }
    const bridges = new Bridges({ instance, folder, firewall: this.#firewall, log, viewOf })
    this.#bridges = bridges
    this.#vlans = new Vlans({
      log,
      markOf: (name) => bridges.markOf(name),
      removeLinks: (names) => bridges.removeLinks(names),
    })
  }

  async check(endpoints: Record<string, EndpointSettings>, isTask = false): Promise<string[]> {
    return Object.entries(endpoints).flatMap(([name, endpoint]) => {
      try {
        const record = this.#registry.find(name)
        return [...attachProblems(record, isTask), ...endpointProblems(record, endpoint, isTask)]
      } catch (problem) {
        // It may be made before the container starts; a start without it is refused.
        if (isNotFound(problem)) return []
        return problem instanceof Error ? problem.message : String(problem)
      }
    })
  }

  async resolve(name: string): Promise<{ id: string; name: string } | undefined> {
    try {
      const { id, name: found } = this.#registry.find(name)
      return { id, name: found }
    } catch (problem) {
      if (isNotFound(problem)) return undefined
      throw problem
    }
  }

  async admit({ id, name, endpoints }: Pick<NetworkedContainer, 'id' | 'name' | 'endpoints'>): Promise<void> {
    for (const [network, { IPAMConfig }] of Object.entries(endpoints)) {
      const known = await this.resolve(network)
      if (known !== undefined && scopeOf(this.#registry.find(known.id)) !== 'swarm') continue
      await this.guests?.admit({ id, name }, known?.id ?? network, IPAMConfig?.IPv4Address || undefined)
    }
  }

  /** What a container was given on networks of a swarm and is not using is given back. */
  settle(containerId: string): void {
    this.guests?.settle(containerId)
  }

  attach(container: NetworkedContainer): Promise<AttachedNetworks> {
    return this.#queue.run(container.id, async () => {
      const attached: Attached = { container, endpoints: [] }
      this.#attached.set(container.id, attached)
      try {
        const given: Record<string, EndpointSettings> = {}
        for (const [name, asked] of Object.entries(container.endpoints)) {
          const record = this.#registry.find(name)
          given[record.name] = this.#grant(attached, record, asked)
        }
        const wayOut = attached.endpoints.find(isWayOut)
        const ports = await this.#ports.claim(container.id, container, attached.endpoints.find(isPublishing))
        await allDone([
          this.#firewall.change(this.#ports.elements(container.id), []),
          this.#wire(attached.endpoints, container.pid, wayOut),
        ])
        attached.container = { ...container, endpoints: given }
        for (const name of Object.keys(given)) this.#tell('connect', this.#registry.find(name), container.id)
        return { endpoints: given, ports }
      } catch (problem) {
        await this.#release(container.id)
        throw problem instanceof ProgramFailed ? systemError(`cannot set up the network: ${problem.message}`) : problem
      }
    })
  }

  detach(containerId: string): Promise<void> {
    return this.#queue.run(containerId, async () => {
      const attached = this.#attached.get(containerId)
      if (attached === undefined) return this.settle(containerId)
      await this.#release(containerId)
      this.settle(containerId)
      for (const name of Object.keys(attached.container.endpoints)) {
        const record = this.#registry.named(name)
        if (record !== undefined) this.#tell('disconnect', record, containerId)
      }
    })
  }

  /** Puts a running container on one more network. */
  connect(container: NetworkedContainer, record: NetworkRecord, asked: EndpointSettings): Promise<EndpointSettings> {
    return this.#queue.run(container.id, async () => {
      const used = hasAddresses(record.driver) ? await this.#interfacesOf(container) : []
      const attached = this.#attached.get(container.id) ?? { container, endpoints: [] }
      // Somebody else was faster with the same.
      if (isOn(attached, record)) throw isOnAlready(container.name, record.name)
      this.#attached.set(container.id, attached)
      const [hadWayOut, published] = [attached.endpoints.some(isWayOut), attached.endpoints.some(isPublishing)]
      const given = this.#grant(attached, record, asked, used)
      const endpoint = attached.endpoints.find(({ network }) => network.record.id === record.id)
      try {
        if (endpoint !== undefined) {
          const wayOut = !hadWayOut && isWayOut(endpoint) ? endpoint : undefined
          await this.#wire([endpoint], container.pid, wayOut)
          if (!published && isPublishing(endpoint)) await this.#ports.lead(container.id, endpoint)
        }
      } catch (problem) {
        if (endpoint !== undefined) await this.#drop(attached, endpoint)
        throw problem instanceof ProgramFailed ? systemError(`cannot set up the network: ${problem.message}`) : problem
      }
      attached.container = {
        ...attached.container,
        endpoints: { ...attached.container.endpoints, [record.name]: given },
      }
      this.#tell('connect', record, container.id)
      return given
    })
  }

  /** Takes a running container off a network. */
  disconnect(containerId: string, record: NetworkRecord): Promise<void> {
    return this.#queue.run(containerId, async () => {
      const attached = this.#attached.get(containerId)
      const endpoint = attached?.endpoints.find(({ network }) => network.record.id === record.id)
      if (attached !== undefined && endpoint !== undefined) {
        const wasUsed = [isWayOut, isPublishing].some((isMeant) => attached.endpoints.find(isMeant) === endpoint)
        await this.#drop(attached, endpoint)
        if (wasUsed) await this.#reroute(attached)
      }
      if (attached !== undefined) {
        const { [record.name]: _, ...endpoints } = attached.container.endpoints
        attached.container = { ...attached.container, endpoints }
      }
      this.settle(containerId)
      this.#tell('disconnect', record, containerId)
    })
  }

  /** The container's new name is found at once; what its endpoints are then. */
  renamed(containerId: string, name: string): Record<string, EndpointSettings> {
    const attached = this.#attached.get(containerId)
    if (attached === undefined) return {}
    attached.container = { ...attached.container, name }
    attached.endpoints = attached.endpoints.map((endpoint) => {
      const { network, settings } = endpoint
      const names = network.isDefault ? undefined : dnsNames(attached.container, settings.Aliases ?? [])
      const renamed = { ...endpoint, containerName: name, settings: { ...settings, DNSNames: names } }
      network.replace(endpoint, renamed)
      return renamed
    })
    return Object.fromEntries(attached.endpoints.map(({ network, settings }) => [network.record.name, settings]))
  }

  addNetwork(record: NetworkRecord): Promise<void> {
    if (record.configOnly || !hasAddresses(record.driver)) return Promise.resolve()
    return this.#on(record).add(record)
  }

  removeNetwork(record: NetworkRecord): Promise<void> {
    if (record.configOnly || !hasAddresses(record.driver)) return Promise.resolve()
    return this.#on(record).remove(record)
  }

  /** A network of bridges at work, for services of a swarm. */
  live(record: NetworkRecord): LiveNetwork {
    return this.#bridges.live(record)
  }

  /** A network that goes on to other machines. */
  span(record: NetworkRecord, span: Span): Promise<void> {
    return this.#bridges.spans.set(this.#bridges.live(record), span)
  }

  /** The public key of this machine for encrypted networks; undefined where it can have none. */
  tunnelKey(): Promise<string | undefined> {
    return this.#bridges.tunnel.publicKey()
  }

  /** Why this machine cannot have it; undefined: it can. */
  async encryptionProblem(record: Pick<NetworkRecord, 'driver' | 'options'>): Promise<string | undefined> {
    return isEncrypted(record) ? this.#bridges.tunnel.whyNot() : undefined
  }

  /** Ids of containers that are on a network now. */
  on(record: NetworkRecord): string[] {
    return [...this.#attached.values()].filter((one) => isOn(one, record)).map(({ container }) => container.id)
  }

  async restore(running: readonly (NetworkedContainer & AttachedNetworks)[]): Promise<void> {
    const ids = running.flatMap(({ endpoints }) => Object.values(endpoints).map(({ EndpointID }) => EndpointID ?? ''))
    const networks = this.#registry.all.filter(({ configOnly }) => !configOnly)
    const vlans = networks.filter(({ driver }) => isVlan(driver))
    const kept = new Set([...ids.map(linkNameOf), ...vlans.map(parentOf)])
    await this.#bridges.restore(
      networks.filter(({ driver }) => isBridged(driver)),
      kept,
    )
    await this.#vlans.restore(vlans)
    for (const { ports, ...container } of running) {
      const attached: Attached = { container, endpoints: [] }
      this.#attached.set(container.id, attached)
      for (const [name, settings] of Object.entries(container.endpoints)) {
        const record = this.#registry.named(name)
        if (record === undefined || !hasAddresses(record.driver)) continue
        attached.endpoints.push(keepEndpoint(this.#on(record).live(record), container, settings))
      }
      await this.#ports.reclaim(container.id, ports, attached.endpoints.find(isPublishing))
    }
    const published = running.flatMap(({ id }) => this.#ports.elements(id))
    await this.#firewall.reset([...this.#bridges.elements, ...published])
    await this.#bridges.openNameServers()
  }

  /** Why containers that name no network cannot be started. */
  problem(): string | undefined {
    const why = this.#bridges.whyNot(this.#registry.find(defaultBridge))
    return why && `the default network cannot be made: ${why}. Containers can use --network host or none.`
  }

  async resolvConf(container: Omit<NetworkedContainer, 'pid'>): Promise<string> {
    const networks = Object.keys(container.endpoints)
      .map((name) => this.#registry.find(name))
      .filter(({ driver }) => isBridged(driver))
      .map((record) => this.#bridges.live(record))
    return writeResolvConf(resolverOf(container.dns, this.#resolver.settings, networks))
  }

  async stats(containerId: string): Promise<Record<string, NetworkStats>> {
    const attached = this.#attached.get(containerId)
    return attached === undefined ? {} : interfacesOf(attached.container.pid)
  }

  /** The engine ends; containers and their networks go on. Where there are none, nothing stays. */
  async close(): Promise<void> {
    this.#ports.releaseAll()
    await this.#bridges.closeNameServers()
    const isInUse = [...this.#attached.values()].some(({ endpoints }) => endpoints.length > 0)
    if (isInUse) return
    await this.#vlans.removeAll()
    await this.#bridges.removeAll()
  }

  #on({ driver }: NetworkRecord): Pick<Bridges, 'live' | 'add' | 'remove'> {
    return isVlan(driver) ? this.#vlans : this.#bridges
  }

  /** Of a container that may have ended while its caller waited. */
  async #interfacesOf({ id, pid }: NetworkedContainer): Promise<string[]> {
    try {
      return Object.keys(await interfacesOf(pid))
    } catch {
      throw conflict(`container ${id} is not running`)
    }
  }

  #grant(
    attached: Attached,
    record: NetworkRecord,
    asked: EndpointSettings,
    used: readonly string[] = attached.endpoints.map(({ interfaceName }) => interfaceName),
  ): EndpointSettings {
    if (record.configOnly) throw noSuchNetwork(record.name)
    if (!hasAddresses(record.driver)) {
      return { ...askedEndpoint(asked), NetworkID: record.id, EndpointID: randomBytes(32).toString('hex') }
    }
    const network = this.#on(record).live(record)
    const { container } = attached
    const endpoint = grantEndpoint(network, container, asked, {
      interfaceName: freeInterfaceName(network.interfacePrefix, used),
      address: this.guests?.address(container.id, record.id),
    })
    attached.endpoints.push(endpoint)
    return endpoint.settings
  }

  #wire(endpoints: readonly LiveEndpoint[], pid: number, wayOut: LiveEndpoint | undefined): Promise<void> {
    return wire(endpoints, pid, { wayOut, markOf: (name) => this.#bridges.markOf(name) })
  }

  async #drop(attached: Attached, endpoint: LiveEndpoint): Promise<void> {
    endpoint.network.remove(endpoint)
    attached.endpoints = attached.endpoints.filter((one) => one !== endpoint)
    await unwire(endpoint, attached.container.pid, (names) => this.#bridges.removeLinks(names))
  }

  async #reroute({ container, endpoints }: Attached): Promise<void> {
    const wayOut = endpoints.find(isWayOut)
    await this.#ports.lead(container.id, endpoints.find(isPublishing))
    if (wayOut !== undefined) await runIpInside(container.pid, defaultRoutes(wayOut))
  }

  async #release(containerId: string): Promise<void> {
    const endpoints = this.#attached.get(containerId)?.endpoints ?? []
    this.#attached.delete(containerId)
    const freeing = [this.#ports.release(containerId), this.#bridges.removeLinks(endpoints.map(({ link }) => link))]
    const results = await Promise.allSettled(freeing)
    for (const endpoint of endpoints) endpoint.network.remove(endpoint)
    for (const result of results) {
      if (result.status === 'rejected')
        this.#log.error({ problem: String(result.reason) }, 'a network was not cleaned up')
    }
  }

  #tell(action: 'connect' | 'disconnect', { id, name, driver }: NetworkRecord, container: string): void {
    this.#events.emit('network', action, id, { container, name, type: driver })
  }
}
