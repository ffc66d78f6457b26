// Makes services reachable on this machine: their published ports, and the addresses that stand for their tasks.
import type { Log } from '@atoll/kernel/telemetry/log'
import { parseAddress } from '../../network/address.ts'
import type { BalancedPort, Balancer, VirtualAddress } from '../../network/balancer.ts'
import { ContainerQueue } from '../../network/container-queue.ts'
import type { LiveNetwork } from '../../network/live-network.ts'
import type { ContainerRecord } from '../../resources/containers/record.ts'
import { isWanted } from '../manager/task-states.ts'
import type { KeptService, KeptTask } from '../store/objects.ts'
import type { SwarmStore } from '../store/swarm-store.ts'
import { taskIdLabel } from './task-container.ts'

export interface BalancingParts {
  store: SwarmStore
  balancer: Balancer
  containers(): readonly ContainerRecord[]
  /** Of a swarm, by its id; undefined for others. */
  network(id: string): LiveNetwork | undefined
  log: Log
}

const retryMs = 1_000

export class Balancing {
  readonly #parts: BalancingParts
  readonly #queue = new ContainerQueue()
  readonly #waiting = new Set<string>()
  readonly #known = new Set<string>()
  readonly #problems = new Map<string, string>()
  readonly #stopListening: () => void
  #isStopped = false

  constructor(parts: BalancingParts) {
    this.#parts = parts
    this.#stopListening = parts.store.listen(({ kind, id, before, after }) => {
      if (kind === 'service') this.#look(id)
      if (kind === 'task') this.#look(((after ?? before) as KeptTask).ServiceID)
    })
    for (const { ID } of parts.store.all('service')) this.#look(ID)
  }

  /** `isLeaving`: nothing leads anywhere any more. Otherwise connections go on while the engine is away. */
  async stop(isLeaving: boolean): Promise<void> {
    this.#isStopped = true
    this.#stopListening()
    await Promise.all([...this.#known].map((id) => this.#queue.run(id, async () => {})))
    if (isLeaving) for (const id of this.#known) await this.#parts.balancer.remove(id).catch(() => {})
  }

  #look(id: string): void {
    if (this.#isStopped || id === '' || this.#waiting.has(id)) return
    this.#waiting.add(id)
    void this.#queue
      .run(id, async () => {
        this.#waiting.delete(id)
        if (!this.#isStopped) await this.#balance(id)
      })
      .catch((error: Error) => {
        if (this.#isStopped) return
        // Tried again and again, told once.
        const isKnown = this.#problems.get(id) === error.message
        this.#problems.set(id, error.message)
        if (!isKnown) {
          this.#parts.log.warn({ service: id, error: error.message }, 'a service cannot be reached as it should')
        }
        setTimeout(() => this.#look(id), retryMs).unref()
      })
  }

  async #balance(id: string): Promise<void> {
    const { store, balancer } = this.#parts
    const service = store.get('service', id)
    if (service === undefined) {
      this.#known.delete(id)
      this.#problems.delete(id)
      return balancer.remove(id)
    }
    this.#known.add(id)
    const running = this.#running(service)
    const addresses = this.#addresses(service, running)
    await balancer.set(id, { ports: portsOf(service), targets: running.flatMap(firstAddress), addresses })
    this.#problems.delete(id)
    await this.#remember(service, addresses)
  }

  #running({ ID }: KeptService): ContainerRecord[] {
    const { store, containers } = this.#parts
    const tasks = store
      .all('task')
      .filter((task) => task.ServiceID === ID && task.Status.State === 'running' && isWanted(task))
      .map((task) => task.ID)
    return containers().filter(({ config }) => tasks.includes(config.Labels?.[taskIdLabel] ?? ''))
  }

  /** One for each network that it is on, the same for as long as it is there. */
  #addresses({ Spec, Endpoint }: KeptService, running: readonly ContainerRecord[]): VirtualAddress[] {
    if (Spec.EndpointSpec?.Mode === 'dnsrr') return []
    return (Spec.TaskTemplate?.Networks ?? []).flatMap(({ Target = '', Aliases = [] }) => {
      const network = this.#parts.network(Target)
      if (network === undefined) return []
      const known = Endpoint.VirtualIPs?.find(({ NetworkID }) => NetworkID === Target)?.Addr.split('/')[0]
      const address = this.#take(network, known)
      if (address === undefined) throw new Error(`network ${network.record.name} has no free address`)
      const { name } = network.record
      const targets = running.flatMap(({ endpoints }) => endpoints[name]?.IPAddress || [])
      return [{ network, address, names: [Spec.Name ?? '', ...Aliases], targets }]
    })
  }

  #take(network: LiveNetwork, known: string | undefined): string | undefined {
    const leases = network.subnet4?.leases
    const address = parseAddress(known ?? '')
    if (address !== undefined && known !== undefined) {
      const isOurs = this.#parts.balancer.has(network, known)
      if (isOurs || leases?.take(address) === true) return known
    }
    return leases?.takeAny()
  }

  async #remember(service: KeptService, addresses: readonly VirtualAddress[]): Promise<void> {
    const VirtualIPs = addresses.map(({ network, address }) => ({
      NetworkID: network.record.id,
      Addr: `${address}/${network.subnet4?.leases.prefix ?? 32}`,
    }))
    if (JSON.stringify(VirtualIPs) === JSON.stringify(service.Endpoint.VirtualIPs ?? [])) return
    const object = { ...service, Endpoint: { ...service.Endpoint, VirtualIPs } }
    // Where somebody else was faster, their change is looked at next.
    await this.#parts.store.commit([{ kind: 'service', object, index: service.Version.Index }])
  }
}

const firstAddress = ({ endpoints }: ContainerRecord): string[] => {
  const [address] = Object.values(endpoints).flatMap(({ IPAddress }) => IPAddress || [])
  return address === undefined ? [] : [address]
}

const portsOf = ({ Endpoint }: KeptService): BalancedPort[] =>
  (Endpoint.Ports ?? []).flatMap(({ PublishMode, PublishedPort, TargetPort, Protocol }) =>
    PublishMode === 'host' || !PublishedPort || !TargetPort
      ? []
      : [{ protocol: Protocol || 'tcp', hostPort: PublishedPort, port: TargetPort }],
  )
