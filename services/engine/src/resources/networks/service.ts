// The rules of networks: creating and removing them, putting containers on them and taking them off.
import type { Clock } from '@atoll/kernel/clock/clock'
import type { Database } from '@atoll/kernel/db/database'
import type { Ids } from '@atoll/kernel/ids/ids'
import type { Log } from '@atoll/kernel/telemetry/log'
import {
  conflict,
  forbidden,
  invalidParameter,
  invalidParameters,
  noSuchContainer,
  noSuchNetwork,
  notSwarmManager,
} from '../../errors.ts'
import type { EngineEvents } from '../../events/engine-events.ts'
import { defaultPools, privatePool6 } from '../../network/address-pools.ts'
import { isOnAlready } from '../../network/attached.ts'
import type { BridgeNetworking } from '../../network/bridge-networking.ts'
import type { BridgeSettings } from '../../network/bridge-settings.ts'
import { ContainerQueue } from '../../network/container-queue.ts'
import { isBridgeInUse, planDefaultBridge } from '../../network/default-bridge.ts'
import { endpointProblems } from '../../network/endpoint-check.ts'
import { routedSubnets } from '../../network/links.ts'
import type { LiveNetwork } from '../../network/live-network.ts'
import {
  attachProblems,
  bridgeNameOf,
  defaultBridge,
  type NetworkRecord,
  predefinedNames,
  scopeOf,
} from '../../network/network-record.ts'
import type { NetworkRegistry } from '../../network/network-registry.ts'
import type { NetworkUsers } from '../../network/networking.ts'
import type { EndpointSettings } from '../containers/schema.ts'
import type { Filters } from '../query/schema.ts'
import { networkBody } from './body.ts'
import { checkMode, hostWords } from './connect-mode.ts'
import { type DraftSettings, draftNetwork, draftPredefined } from './draft.ts'
import { listTest, pruneTest } from './filters.ts'
import { type SwarmNetworks, untilTasksLeft } from './of-swarm.ts'
import type { ConnectNetwork, CreateNetwork, DisconnectNetwork, Network } from './schema.ts'
import { allNetworks, deleteNetwork, insertNetwork, replaceNetwork } from './store.ts'

export interface NetworksSettings {
  db: Database
  clock: Clock
  ids: Ids
  events: EngineEvents
  registry: NetworkRegistry
  networking: BridgeNetworking
  /** Ten hexadecimal digits that tell engines on one host apart. */
  instance: string
  /** Of the default network. */
  bridge: BridgeSettings
  log: Log
  /** The containers; asked for when needed, as they in turn need networks. */
  users(): NetworkUsers
}

const oneAtATime = 'all networks'
/** How often a network is described anew because others were faster. */
const maxTries = 10

export class Networks {
  readonly #settings: NetworksSettings
  readonly #changes = new ContainerQueue()
  /** What a swarm knows of networks; set once, before the first request. */
  ofSwarm?: SwarmNetworks

  constructor(settings: NetworksSettings) {
    this.#settings = settings
  }

  /** Before anything else: reads what was kept, and makes the predefined ones on the first start. */
  async load(): Promise<void> {
    const { db, registry } = this.#settings
    const kept = await allNetworks(db.queries)
    for (const record of kept.filter(({ name }) => name !== defaultBridge)) registry.add(record)
    registry.add(await this.#openDefault(kept.find(({ name }) => name === defaultBridge)))
    for (const name of predefinedNames) {
      if (registry.named(name) !== undefined) continue
      const record = await draftPredefined(name, this.#draft())
      await insertNetwork(db.queries, record)
      registry.add(record)
    }
  }

  /** As it was, unless it has to be another: it is set so, or another engine has what was ours. */
  async #openDefault(known: NetworkRecord | undefined): Promise<NetworkRecord> {
    const { db, instance, bridge, log } = this.#settings
    const plan = await planDefaultBridge(known, instance, bridge)
    if (known !== undefined && plan === undefined) return known
    if (known !== undefined && isBridgeInUse(bridgeNameOf(known)) && plan?.name !== bridgeNameOf(known)) {
      log.warn({ asked: plan, bridge: bridgeNameOf(known) }, 'the default network stays: containers are on it')
      return known
    }
    const drafted = await draftPredefined(defaultBridge, this.#draft(), plan)
    if (known === undefined) {
      await insertNetwork(db.queries, drafted)
      return drafted
    }
    const { id, created, labels } = known
    const changed = { ...drafted, id, created, labels }
    await replaceNetwork(db.queries, changed)
    return changed
  }

  list(filters: Filters, withContainers: boolean): Network[] {
    const isAsked = listTest(filters, (record) => this.#isUsed(record))
    const records = this.#settings.registry.all.filter(isAsked)
    return records.map((record) => networkBody(this.#shown(record), withContainers ? this.#users(record) : []))
  }

  inspect(name: string, { scope, verbose }: { scope?: string | undefined; verbose: boolean }): Network {
    const record = this.#settings.registry.find(name)
    // ENG-443 to ENG-445
    if (scope !== undefined && scope !== '' && scope !== scopeOf(record)) throw noSuchNetwork(name)
    const { Peers, Services } = this.ofSwarm?.describe(record) ?? { Services: {} }
    const body = { ...networkBody(this.#shown(record), this.#users(record)), ...(Peers === undefined ? {} : { Peers }) }
    // ENG-451, ENG-452
    return verbose ? { ...body, Services } : body
  }

  create(asked: CreateNetwork): Promise<{ Id: string; Warning: string }> {
    const { db, registry, networking, events } = this.#settings
    return this.#changes.run(oneAtATime, async () => {
      const record = await this.#drafted(asked)
      await insertNetwork(db.queries, record)
      try {
        await networking.addNetwork(record)
      } catch (problem) {
        await deleteNetwork(db.queries, record.id)
        if (scopeOf(record) === 'swarm') await this.ofSwarm?.drop(record)
        throw problem
      }
      registry.add(record)
      events.emit('network', 'create', record.id, { name: record.name, type: record.driver }, scopeOf(record))
      return { Id: record.id, Warning: '' }
    })
  }

  /** One of a swarm is written down for all managers with it. */
  async #drafted(asked: CreateNetwork): Promise<NetworkRecord> {
    for (let attempt = 0; attempt < maxTries; attempt++) {
      const settings = this.#draft()
      const record = await draftNetwork(asked, settings)
      if (scopeOf(record) !== 'swarm') return record
      if ((await this.ofSwarm?.keep(record, settings.swarm?.seen ?? 0)) === true) return record
    }
    throw conflict('other networks of the swarm are made all the time: try again')
  }

  async remove(name: string): Promise<void> {
    if (this.#isElsewhere(this.#settings.registry.find(name))) throw notSwarmManager()
    const { events, networking } = this.#settings
    await untilTasksLeft(this.#settings.registry.find(name), this.ofSwarm, { events, networking })
    await this.#changes.run(oneAtATime, () => this.#removeForAll(this.#settings.registry.find(name)))
  }

  idsOfSwarm(): string[] {
    return this.#settings.registry.ofSwarm.map(({ id }) => id)
  }

  /** A network of a swarm at work; undefined for others. */
  liveOfSwarm(id: string): LiveNetwork | undefined {
    const record = this.#settings.registry.ofSwarm.find((one) => one.id === id)
    return record && this.#settings.networking.live(record)
  }

  /** Which containers are on which network of a swarm, by their ids. */
  attachedOfSwarm(): { container: string; name: string; network: string; address: string }[] {
    const { registry, networking } = this.#settings
    return registry.ofSwarm.flatMap((record) =>
      [...networking.live(record).endpoints.values()].map(({ containerId, containerName, address4 = '' }) => ({
        ...{ container: containerId, name: containerName, network: record.id, address: address4 },
      })),
    )
  }

  /** Names of their interfaces on this machine. */
  bridges(): Set<string> {
    return this.#settings.registry.bridges
  }

  /** As this machine has them. */
  recordsOfSwarm(): NetworkRecord[] {
    return this.#settings.registry.ofSwarm
  }

  /** What a manager told of a network that tasks of this machine are on: it is here then. */
  adopt(record: NetworkRecord): Promise<void> {
    const { db, registry, networking } = this.#settings
    return this.#changes.run(oneAtATime, async () => {
      const known = registry.all.find(({ id }) => id === record.id)
      // What older engines wrote down says that nobody comes to it here by hand.
      if (known !== undefined) return registry.add({ ...known, attachable: record.attachable })
      if (registry.named(record.name) !== undefined) {
        throw conflict(`network ${record.name} of the swarm cannot be made: this machine has another of that name`)
      }
      await insertNetwork(db.queries, record)
      try {
        await networking.addNetwork(record)
      } catch (problem) {
        await deleteNetwork(db.queries, record.id)
        throw problem
      }
      registry.add(record)
    })
  }

  /** It is no more, or this machine is not on it any more. */
  abandon(id: string): Promise<void> {
    return this.#changes.run(oneAtATime, async () => {
      const record = this.#settings.registry.ofSwarm.find((one) => one.id === id)
      if (record !== undefined) await this.#remove(record)
    })
  }

  /** Of the network that published ports of services need; undefined: there is none. */
  ingressId(): string | undefined {
    return this.#settings.registry.all.find(({ ingress }) => ingress)?.id
  }

  /** This machine leaves its swarm, whose services are no more. */
  async removeOfSwarm(): Promise<void> {
    const { registry, log } = this.#settings
    for (const record of registry.ofSwarm) {
      await this.#changes
        .run(oneAtATime, () => this.#remove(record))
        .catch((error: Error) =>
          log.warn({ network: record.name, error: error.message }, 'a network of the swarm stays'),
        )
    }
  }

  async prune(filters: Filters): Promise<string[]> {
    const { registry, clock, events } = this.#settings
    const isAsked = pruneTest(filters, clock.now())
    const deleted = await this.#changes.run(oneAtATime, async () => {
      const unused = registry.all.filter(
        (record) =>
          !predefinedNames.has(record.name) &&
          !record.ingress &&
          !this.#isElsewhere(record) &&
          isAsked(record) &&
          !this.#isUsed(record),
      )
      const names: string[] = []
      for (const record of unused.filter((one) => !this.#isConfiguration(one))) {
        await this.#removeForAll(record)
        names.push(record.name)
      }
      return names
    })
    events.emit('network', 'prune', '', { reclaimed: '0' })
    return deleted
  }

  async connect(name: string, asked: ConnectNetwork): Promise<void> {
    const { networking } = this.#settings
    const user = this.#settings.users().find(asked.Container ?? '')
    if (user?.running !== true) return this.#connect(name, asked)
    try {
      await networking.admit({ ...user, endpoints: { [name]: asked.EndpointConfig ?? noSettings } })
      await this.#connect(name, asked)
    } finally {
      networking.settle(user.id)
    }
  }

  async #connect(name: string, { Container: container = '', EndpointConfig: asked }: ConnectNetwork): Promise<void> {
    const { registry, networking } = this.#settings
    const record = registry.find(name)
    const users = this.#settings.users()
    if (container === '') throw invalidParameter('a container to connect is required')
    const user = users.find(container)
    if (user === undefined) throw noSuchContainer(container)
    const endpoint = asked ?? noSettings
    // ENG-435, ENG-436: all that is wrong, at once, also for a container that does not run.
    const problems = [...attachProblems(record, false), ...endpointProblems(record, endpoint)]
    if (problems.length > 0) {
      throw invalidParameters([`invalid endpoint settings for network ${record.name}:`, ...problems])
    }
    const isOnOne = (network: string) => users.containersOn(network).some(({ id }) => id === user.id)
    checkMode(user.networkMode, record, isOnOne)
    const isOn = isOnOne(record.name)
    if (isOn && user.running) throw isOnAlready(user.name, record.name)
    if (!user.running) {
      await users.setEndpoint(user.id, record.name, { ...endpoint, NetworkID: record.id })
      return
    }
    const given = await networking.connect(users.networked(user.id), record, endpoint)
    await users.setEndpoint(user.id, record.name, given)
  }

  async disconnect(name: string, { Container: container = '', Force: force }: DisconnectNetwork): Promise<void> {
    const { registry, networking } = this.#settings
    const record = registry.find(name)
    const users = this.#settings.users()
    if (container === '') throw invalidParameter('a container to disconnect is required')
    if (record.driver === 'host') throw forbidden(hostWords)
    const user = users.find(container)
    if (user === undefined) {
      const lost = force === true ? networking.on(record).find((id) => id.startsWith(container)) : undefined
      if (lost === undefined) throw noSuchContainer(container)
      return networking.disconnect(lost, record)
    }
    const isOn = users.containersOn(record.name).some(({ id }) => id === user.id)
    if (!isOn && !networking.on(record).includes(user.id)) {
      throw forbidden(`container ${user.id} is not connected to network ${record.name}`)
    }
    if (user.running) await networking.disconnect(user.id, record)
    if (isOn) await users.setEndpoint(user.id, record.name, undefined)
  }

  async #removeForAll(record: NetworkRecord): Promise<void> {
    this.#refuseRemoval(record, this.ofSwarm?.neededBy(record.id) ?? [])
    if (scopeOf(record) === 'swarm') await this.ofSwarm?.drop(record)
    await this.#remove(record)
  }

  #refuseRemoval(record: NetworkRecord, services: readonly string[] = []): void {
    const { networking } = this.#settings
    if (predefinedNames.has(record.name)) {
      throw forbidden(`${record.name} is a pre-defined network and cannot be removed`)
    }
    if (networking.on(record).length > 0) {
      throw forbidden(`error while removing network: network ${record.name} id ${record.id} has active endpoints`)
    }
    if (services.length > 0) {
      throw forbidden(
        `network ${record.name} is in use by service${services.length > 1 ? 's' : ''} ${services.join(', ')}`,
      )
    }
    if (this.#isConfiguration(record)) throw forbidden(`configuration network "${record.name}" is in use`)
  }

  /** From this machine. */
  async #remove(record: NetworkRecord): Promise<void> {
    const { db, registry, networking, events } = this.#settings
    this.#refuseRemoval(record)
    // From here on nobody finds it any more, so nobody can get on it.
    registry.remove(record)
    try {
      await deleteNetwork(db.queries, record.id)
    } catch (problem) {
      registry.add(record)
      throw problem
    }
    await networking.removeNetwork(record)
    // ENG-667
    const action = scopeOf(record) === 'swarm' ? 'remove' : 'destroy'
    events.emit('network', action, record.id, { name: record.name, type: record.driver }, scopeOf(record))
  }

  /** This machine may have it with a gateway of its own. */
  #shown(record: NetworkRecord): NetworkRecord {
    return this.ofSwarm?.record(record.id) ?? record
  }

  /** Managers of the swarm decide over it, and this machine is none. */
  #isElsewhere(record: NetworkRecord): boolean {
    return scopeOf(record) === 'swarm' && this.ofSwarm?.isWorker() === true
  }

  /** Another network has its settings from this one. */
  #isConfiguration(record: NetworkRecord): boolean {
    return record.configOnly && this.#settings.registry.all.some(({ configFrom }) => configFrom === record.name)
  }

  #isUsed(record: NetworkRecord): boolean {
    const isReferred =
      this.#settings.users().containersOn(record.name).length > 0 ||
      (this.ofSwarm?.neededBy(record.id) ?? []).length > 0
    return isReferred || this.#settings.networking.on(record).length > 0
  }

  #users(record: NetworkRecord): { id: string; name: string; endpoint: EndpointSettings }[] {
    return this.#settings
      .users()
      .containersOn(record.name)
      .filter(({ running }) => running)
  }

  #draft(): DraftSettings {
    const { registry, ids, clock, instance, networking } = this.#settings
    return {
      ...{ registry, networking },
      pools: [...defaultPools, privatePool6(instance)],
      swarm: this.ofSwarm?.pools(),
      routed: () => routedSubnets((link) => !registry.all.some((record) => bridgeNameOf(record) === link)),
      id: ids.hex() + ids.hex(),
      created: new Date(clock.now()).toISOString().replace('Z', '000000Z'),
    }
  }
}

const noSettings = {} as EndpointSettings
