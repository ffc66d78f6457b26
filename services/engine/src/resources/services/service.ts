// Services: described, changed and removed. Whoever looks after them follows what is written here.
import type { Clock } from '@atoll/kernel/clock/clock'
import type { Ids } from '@atoll/kernel/ids/ids'
import { conflict, invalidParameter } from '../../errors.ts'
import { findObject } from '../../swarm/find-object.ts'
import { swarmId } from '../../swarm/identity/tokens.ts'
import { isJob } from '../../swarm/manager/task-states.ts'
import { type Membership, places } from '../../swarm/membership.ts'
import type { KeptService } from '../../swarm/store/objects.ts'
import type { Swarm } from '../../swarm/swarm.ts'
import { outOfSequence } from '../../swarm/versioned.ts'
import { newName } from '../containers/names.ts'
import type { Filters } from '../query/schema.ts'
import { checkSpec } from './check-spec.ts'
import { insertDefaults } from './defaults.ts'
import { checkReferences, type FindNetwork, withNetworks } from './references.ts'
import type { Service, ServiceSpec } from './schema.ts'
import { modeOf, serviceFilter } from './service-filters.ts'
import { statusOf } from './service-status.ts'

export interface ServicesParts {
  swarm: Pick<Swarm, 'membership'>
  ids: Pick<Ids, 'hex'>
  clock: Clock
  findNetwork: FindNetwork
  /** Whether there is the network that published ports need. */
  hasIngress(): boolean
}

export interface UpdateOptions {
  version: number
  registryAuth: string | undefined
  /** `previous-spec`: the credentials of before. */
  registryAuthFrom?: string | undefined
  /** `previous`: back to what it was before the last update. */
  rollback?: string | undefined
}

export class Services {
  readonly #parts: ServicesParts

  constructor(parts: ServicesParts) {
    this.#parts = parts
  }

  get #membership(): Membership {
    return this.#parts.swarm.membership
  }

  list(filters: Filters, withStatus: boolean): readonly Service[] {
    const all = this.#membership.store.all('service')
    const isPlain = !withStatus && Object.keys(filters).length === 0 && all.length <= maxKeptList
    if (isPlain) return plainList(all)
    const found = all.filter(serviceFilter(filters))
    if (!withStatus) return found.map(view)
    const tasks = Map.groupBy(this.#membership.store.all('task'), ({ ServiceID }) => ServiceID)
    return found.map((service) => ({ ...view(service), ServiceStatus: statusOf(service, tasks.get(service.ID) ?? []) }))
  }

  inspect(asked: string, withDefaults: boolean): Service {
    const service = view(this.find(asked))
    return withDefaults ? insertDefaults(service) : service
  }

  /** By id, name or the beginning of an id, in this order. */
  find(asked: string): KeptService {
    return findObject('service', this.#membership.store.all('service'), asked, ({ Spec }) => Spec.Name)
  }

  async create(asked: ServiceSpec, registryAuth: string | undefined): Promise<string> {
    const { store, sealing } = this.#membership
    const { ids, clock } = this.#parts
    const taken = (name: string) => store.all('service').some(({ Spec }) => Spec.Name === name)
    const Name = asked.Name || newName(ids.hex, taken)
    const Spec = this.#checked({ ...asked, Name, Mode: asked.Mode ?? replicatedOnce })
    const ID = swarmId(ids.hex())
    const fresh: Omit<KeptService, 'Endpoint'> = {
      ...{ ID, Version: { Index: 0 }, CreatedAt: '', UpdatedAt: '', Spec },
      ...(registryAuth ? { registryAuth: sealing.seal(Buffer.from(registryAuth), places.registryAuth(ID)) } : {}),
    }
    for (let attempt = 0; attempt < maxTries; attempt++) {
      const service: KeptService = { ...fresh, Endpoint: this.#endpoint(Spec) }
      if (isJob(service)) service.JobStatus = { JobIteration: { Index: 0 }, LastExecution: timeOf(clock) }
      this.#refuseTakenPorts(service)
      if (await store.commit([{ kind: 'service', object: service, index: 0 }])) return ID
      if (taken(Name)) throw conflict(`name conflicts with an existing object: service ${Name} already exists`)
      // Another manager has just given one of its ports away.
    }
    throw conflict('ports of services are given away all the time: try again')
  }

  async update(asked: string, given: ServiceSpec, options: UpdateOptions): Promise<void> {
    const { store, sealing } = this.#membership
    const service = this.find(asked)
    if (service.Version.Index !== options.version) throw outOfSequence()
    const isRollback = options.rollback === 'previous'
    if (isRollback && service.PreviousSpec === undefined) {
      throw invalidParameter(`service ${service.Spec.Name} does not have a previous spec`)
    }
    const Spec = isRollback && service.PreviousSpec ? service.PreviousSpec : this.#checked(given)
    if (Spec.Name !== service.Spec.Name) throw invalidParameter('renaming services is not supported')
    if (modeOf({ Spec }) !== modeOf(service)) throw invalidParameter('service mode change is not allowed')
    const changed: KeptService = {
      ...service,
      Spec,
      PreviousSpec: service.Spec,
      Endpoint: this.#endpoint(Spec, service),
      UpdateStatus: isRollback
        ? { State: 'rollback_started', StartedAt: timeOf(this.#parts.clock), Message: 'manually requested rollback' }
        : undefined,
      ...this.#nextRun(service, Spec),
    }
    if (options.registryAuth) {
      const sealed = sealing.seal(Buffer.from(options.registryAuth), places.registryAuth(service.ID))
      Object.assign(changed, { registryAuth: sealed, previousRegistryAuth: service.registryAuth })
    } else if (options.registryAuthFrom === 'previous-spec' || isRollback) {
      changed.registryAuth = service.previousRegistryAuth
    }
    this.#refuseTakenPorts(changed)
    const write = { kind: 'service' as const, object: changed, index: options.version }
    if (await store.commit([write])) return
    this.#refuseTakenPorts(changed)
    throw outOfSequence()
  }

  async remove(asked: string): Promise<void> {
    await this.#membership.store.commit([], [{ kind: 'service', id: this.find(asked).ID }])
  }

  #checked(asked: ServiceSpec): ServiceSpec {
    checkSpec(asked)
    const spec = withNetworks(asked, this.#parts.findNetwork)
    checkReferences(spec, this.#membership.store)
    return spec
  }

  /** A job that is changed runs again. */
  #nextRun({ JobStatus, Spec: before }: KeptService, Spec: ServiceSpec): Pick<KeptService, 'JobStatus'> {
    if (JobStatus === undefined || JSON.stringify(before.TaskTemplate) === JSON.stringify(Spec.TaskTemplate)) {
      return JobStatus === undefined ? {} : { JobStatus }
    }
    const Index = JobStatus.JobIteration.Index + 1
    return { JobStatus: { JobIteration: { Index }, LastExecution: timeOf(this.#parts.clock) } }
  }

  /** Ports that nobody chose are chosen here, and stay. */
  #endpoint({ EndpointSpec }: ServiceSpec, before?: KeptService): Service['Endpoint'] {
    const { VirtualIPs, Ports: had = [] } = before?.Endpoint ?? {}
    const kept = VirtualIPs === undefined ? {} : { VirtualIPs }
    if (EndpointSpec === undefined) return kept
    const taken = new Set(this.#membership.store.all('service').flatMap(ingressPorts))
    const Ports = (EndpointSpec.Ports ?? []).map((port) => {
      if (port.PublishedPort || port.PublishMode === 'host')
        return { ...port, PublishMode: port.PublishMode || 'ingress' }
      const same = had.find((one) => one.TargetPort === port.TargetPort && one.Protocol === port.Protocol)
      const PublishedPort = same?.PublishedPort || freePort(taken, port.Protocol || 'tcp')
      taken.add(`${PublishedPort}/${port.Protocol || 'tcp'}`)
      return { ...port, PublishedPort, PublishMode: 'ingress' }
    })
    return { Spec: EndpointSpec, ...(Ports.length === 0 ? {} : { Ports }), ...kept }
  }

  #refuseTakenPorts(service: KeptService): void {
    const own = ingressPorts(service)
    if (own.length > 0 && !this.#parts.hasIngress()) {
      throw conflict('service needs ingress network, but no ingress network is present')
    }
    for (const other of this.#membership.store.all('service')) {
      const taken = other.ID === service.ID ? undefined : ingressPorts(other).find((port) => own.includes(port))
      if (taken !== undefined) {
        const [port] = taken.split('/')
        throw invalidParameter(
          `port '${port}' is already in use by service '${other.Spec.Name}' (${other.ID}) as an ingress port`,
        )
      }
    }
  }
}

/** How often a service is described anew because others were faster. */
const maxTries = 10

const replicatedOnce = { Replicated: { Replicas: 1 } } as ServiceSpec['Mode']

const [firstFreePort, lastFreePort] = [30_000, 32_767]

function freePort(taken: ReadonlySet<string>, protocol: string): number {
  for (let port = firstFreePort; port <= lastFreePort; port++) if (!taken.has(`${port}/${protocol}`)) return port
  throw conflict('all ports for services without one of their own are taken')
}

const timeOf = (clock: Clock): string => new Date(clock.now()).toISOString().replace('Z', '000000Z')

export const ingressPorts = ({ Endpoint }: KeptService): string[] =>
  (Endpoint.Ports ?? []).flatMap(({ PublishMode, PublishedPort, Protocol }) =>
    PublishMode === 'host' || !PublishedPort ? [] : [`${PublishedPort}/${Protocol || 'tcp'}`],
  )

const view = ({ registryAuth: _, previousRegistryAuth: __, ...service }: KeptService): Service => service

/** Longer lists are written piece by piece, for nobody shall wait for their text. */
const maxKeptList = 2_000
const plainLists = new WeakMap<readonly KeptService[], readonly Service[]>()

/** Frozen: the server keeps its text as long as no service changes. */
function plainList(all: readonly KeptService[]): readonly Service[] {
  const list = plainLists.get(all) ?? Object.freeze(all.map(view))
  plainLists.set(all, list)
  return list
}
