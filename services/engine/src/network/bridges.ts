// The bridges of the host that are ours, each with its rules and its name server.
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Log } from '@atoll/kernel/telemetry/log'
import { conflict, noSuchNetwork, systemError } from '../errors.ts'
import { parseAddress } from './address.ts'
import { Forwarder } from './dns/forwarder.ts'
import { NameServer, type View } from './dns/name-server.ts'
import { engineTables, type Firewall, removeTable } from './firewall.ts'
import { type Element, linkGroup, networkElements } from './firewall-rules.ts'
import { bootId, closeForwarding, prepareHost } from './host-settings.ts'
import { addBridge, bridgeAddresses, isLinkThere, markedLinks, markOf, runIp } from './links.ts'
import { type LiveEndpoint, LiveNetwork } from './live-network.ts'
import { isEncrypted, type NetworkRecord } from './network-record.ts'
import { onceFree } from './once-free.ts'
import { ProgramFailed, runProgram } from './program.ts'
import { Spans, spanLinkOf } from './spans.ts'
import { Tunnel } from './tunnel.ts'

export interface BridgesSettings {
  /** Ten hexadecimal digits that tell engines on one host apart. */
  instance: string
  /** Where the engine keeps its files. */
  folder: string
  firewall: Firewall
  log: Log
  /** What the container at an endpoint may know. */
  viewOf(endpoint: LiveEndpoint): View | undefined
}

export class Bridges {
  readonly #settings: BridgesSettings
  readonly #mark: string
  readonly #forwarder = new Forwarder()
  readonly #live = new Map<string, LiveNetwork>()
  /** Why those that are not live could not be made, by the id of their network. */
  readonly #failures = new Map<string, string>()
  readonly #nameServers = new Map<string, NameServer[]>()
  /** Those that go on to other machines. */
  readonly spans: Spans
  /** That encrypted ones go through. */
  readonly tunnel: Tunnel

  constructor(settings: BridgesSettings) {
    this.#settings = settings
    this.#mark = markOf(settings.instance)
    const mark = (name: string) => this.markOf(name)
    this.tunnel = new Tunnel({
      ...{ instance: settings.instance, markOf: mark },
      guard: (elements) => settings.firewall.change(elements, []),
    })
    this.spans = new Spans(mark, this.tunnel)
  }

  markOf(name: string): string {
    return `${this.#mark}:${name.slice(0, 12)}`
  }

  live({ id, name }: Pick<NetworkRecord, 'id' | 'name'>): LiveNetwork {
    const network = this.#live.get(id)
    if (network === undefined) throw noSuchNetwork(name)
    return network
  }

  /** Undefined where the network is there. */
  whyNot({ id }: Pick<NetworkRecord, 'id'>): string | undefined {
    return this.#live.has(id) ? undefined : (this.#failures.get(id) ?? 'nobody has made it yet')
  }

  get all(): LiveNetwork[] {
    return [...this.#live.values()]
  }

  get elements(): Element[] {
    return [
      ...this.all.flatMap(({ rules }) => networkElements(rules)),
      ...(this.tunnel.isThere ? this.tunnel.elements : []),
    ]
  }

  async add(record: NetworkRecord): Promise<void> {
    const network = new LiveNetwork(record)
    if (isLinkThere(network.bridge)) {
      throw conflict(`a network interface named ${network.bridge} exists already on this host`)
    }
    try {
      await this.#makeLink(network)
      this.#live.set(record.id, network)
      await this.#settings.firewall.change(networkElements(network.rules), [])
      await this.#openNameServers(network)
    } catch (problem) {
      await this.remove(record)
      throw problem instanceof ProgramFailed
        ? systemError(`cannot create the bridge ${network.bridge}: ${problem.message}`)
        : problem
    }
  }

  /** Safe for one that is gone, or was never quite there. */
  async remove(record: NetworkRecord): Promise<void> {
    const network = this.#live.get(record.id) ?? new LiveNetwork(record)
    this.#live.delete(record.id)
    await this.#closeNameServers(record.id)
    await this.#settings.firewall.change([], networkElements(network.rules))
    const links = this.spans.forget(record.id)
    await this.removeLinks([...links, network.bridge])
    if (links.includes(this.tunnel.link)) await this.#settings.firewall.change([], this.tunnel.elements)
  }

  /** Makes what is missing, and removes what carries our mark and is neither a bridge of ours nor in `kept`. */
  async restore(records: readonly NetworkRecord[], kept: ReadonlySet<string>): Promise<void> {
    this.#readClosed()
    const marked = await markedLinks()
    const ours = marked.filter(({ mark }) => mark.startsWith(`${this.#mark}:`)).map(({ name }) => name)
    const foreign = new Set(marked.filter(({ name }) => !ours.includes(name)).map(({ name }) => name))
    const networks = records.map((record) => new LiveNetwork(record))
    const wanted = new Set(networks.flatMap((network) => this.#linksOf(network)))
    await this.removeLinks(ours.filter((name) => !wanted.has(name) && !kept.has(name)))
    for (const network of networks) {
      try {
        if (foreign.has(network.bridge)) throw new Error(`${network.bridge} belongs to somebody else`)
        // One without a mark was made the moment before the engine was killed.
        if (isLinkThere(network.bridge)) await this.#refresh(network)
        else await this.#makeLink(network)
        this.#live.set(network.record.id, network)
      } catch (problem) {
        this.#failures.set(network.record.id, problem instanceof Error ? problem.message : String(problem))
        this.#settings.log.error({ network: network.record.name, problem: String(problem) }, 'a bridge cannot be made')
      }
    }
  }

  /** Once the rules are there. */
  async openNameServers(): Promise<void> {
    await Promise.all(this.all.map((network) => this.#openNameServers(network)))
  }

  async closeNameServers(): Promise<void> {
    await Promise.all([...this.#nameServers.keys()].map((id) => this.#closeNameServers(id)))
  }

  /** For an engine that ends and leaves nobody on them. */
  async removeAll(): Promise<void> {
    await this.removeLinks([...new Set(this.all.flatMap((network) => this.#linksOf(network)))])
    const { firewall } = this.#settings
    const isLast = !(await markedLinks()).some(({ mark }) => mark.startsWith('atoll:'))
    // Another engine needs the host open: what must not pass is kept from passing until the last one ends.
    if (!isLast && firewall.isClosed) return firewall.reset([])
    const left = isLast ? await engineTables() : []
    if (firewall.isClosed || left.some((table) => table !== firewall.table)) closeForwarding()
    rmSync(this.#closedFile, { force: true })
    for (const table of left) await removeTable(table)
    await firewall.remove()
  }

  /** Those that are gone already do not matter. */
  async removeLinks(names: readonly string[]): Promise<void> {
    const present = names.filter(isLinkThere)
    if (present.length === 0) return
    const lines = present.map((name) => `link delete dev ${name}`)
    await runProgram('ip', ['-force', '-batch', '-'], `${lines.join('\n')}\n`).catch((problem: ProgramFailed) => {
      this.#settings.log.debug({ problem: problem.message }, 'links were gone before they were removed')
    })
  }

  #linksOf({ bridge, record }: LiveNetwork): string[] {
    return [...(isEncrypted(record) ? [this.tunnel.link] : []), spanLinkOf(record.id), bridge]
  }

  async #makeLink(network: LiveNetwork): Promise<void> {
    await runIp(addBridge(network, this.markOf(network.record.id)))
    this.#prepare(network)
    await runIp(bridgeAddresses(network))
  }

  async #refresh(network: LiveNetwork): Promise<void> {
    this.#prepare(network)
    const mark = `link set dev ${network.bridge} alias ${this.markOf(network.record.id)} group ${linkGroup}`
    await runIp([mark, ...bridgeAddresses(network)])
  }

  #prepare(network: LiveNetwork): void {
    if (!prepareHost(network.bridge, network.subnet6 !== undefined)) return
    this.#settings.firewall.closeHost()
    writeFileSync(this.#closedFile, bootId())
  }

  get #closedFile(): string {
    return join(this.#settings.folder, 'forwarding-closed')
  }

  /** The engine opened the host to forwarded packets, and this machine has not been started again since. */
  #readClosed(): void {
    if (!existsSync(this.#closedFile)) return
    if (readFileSync(this.#closedFile, 'utf8') === bootId()) this.#settings.firewall.closeHost()
  }

  /** Without a name server (port 53 is taken) a network works by addresses. */
  async #openNameServers(network: LiveNetwork): Promise<void> {
    const servers: NameServer[] = []
    for (const { gateway } of network.subnets) {
      try {
        servers.push(await onceFree(() => this.#openNameServer(network, gateway)))
      } catch (problem) {
        const fields = { network: network.record.name, address: gateway, problem: String(problem) }
        this.#settings.log.warn(fields, 'containers of this network cannot find one another by name')
      }
    }
    this.#nameServers.set(network.record.id, servers)
  }

  async #openNameServer(network: LiveNetwork, address: string): Promise<NameServer> {
    const server = new NameServer({
      address,
      forwarder: this.#forwarder,
      viewOf: (source) => {
        const from = parseAddress(source)
        const endpoint = from === undefined ? undefined : network.at(from)
        return endpoint === undefined ? undefined : this.#settings.viewOf(endpoint)
      },
    })
    await server.open()
    return server
  }

  async #closeNameServers(id: string): Promise<void> {
    const servers = this.#nameServers.get(id) ?? []
    this.#nameServers.delete(id)
    await Promise.all(servers.map((server) => server.close()))
  }
}
