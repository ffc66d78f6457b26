// Gives out addresses of the swarm's networks: to tasks when they are placed, to services, and to nodes that are on a
// network. What is given is in the store; who has what is known from there after a restart.
import type { Log } from '@atoll/kernel/telemetry/log'
import { parseAddress } from '../../network/address.ts'
import type { LiveNetwork } from '../../network/live-network.ts'
import { changeObject } from '../store/change-object.ts'
import type { KeptNetwork, KeptService, KeptTask } from '../store/objects.ts'
import type { Changed, SwarmStore, Write } from '../store/swarm-store.ts'
import { isOfSwarm, isOver } from './task-states.ts'

export interface AllocatorParts {
  store: SwarmStore
  log: Log
  /** This manager: on every network, by the gateway that the network has. */
  nodeId: string
  /** Of a swarm, by its id; undefined for others. */
  network(id: string): LiveNetwork | undefined
}

/** Lower ones are left to others. */
const firstVni = 4_097
const retryMs = 500

export class Allocator {
  readonly #parts: AllocatorParts
  readonly #stopListening: () => void
  #last: Promise<unknown> = Promise.resolve()
  #isStopped = false

  constructor(parts: AllocatorParts) {
    this.#parts = parts
    const { store } = parts
    for (const task of store.all('task')) this.#reserveAll(task)
    for (const service of store.all('service')) this.#reserveVirtual(service)
    for (const network of store.all('network')) {
      // It was removed the moment before this manager ended.
      if (parts.network(network.ID) === undefined) this.forget(network.ID)
      else this.#reserveGateways(network)
    }
    this.#stopListening = store.listen((change) => this.#changed(change))
    for (const { ID } of store.all('service')) this.#look(() => this.#giveVirtual(ID))
    for (const task of store.all('task')) this.#giveGateways(task)
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    this.#stopListening()
    await this.#last
  }

  /** With addresses for the tasks that have a node and none yet; those that find none left are rejected. */
  fill(writes: readonly Write[]): Write[] {
    return writes.map((write) =>
      write.kind === 'task' ? { ...write, object: this.#fill(write.object as KeptTask) } : write,
    )
  }

  /** What was given to tasks that were not written is free again. */
  giveBack(writes: readonly Write[]): void {
    const { store } = this.#parts
    for (const { kind, object } of writes) {
      if (kind === 'task' && store.get('task', object.ID)?.addresses === undefined) this.#giveUp(object as KeptTask)
    }
  }

  /** It is removed: nobody is on it any more. */
  forget(networkId: string): void {
    this.#look(async () => {
      await this.#parts.store.commit([], [{ kind: 'network', id: networkId }])
    })
  }

  #fill(task: KeptTask): KeptTask {
    const wanted = networksOf(task)
    if (task.NodeID === undefined || task.addresses !== undefined || wanted.length === 0 || isOver(task)) return task
    const addresses: Record<string, string> = {}
    for (const id of wanted) {
      const network = this.#parts.network(id)
      const address = network?.subnet4?.leases.reserveAny()
      if (address === undefined) {
        this.#giveUp({ ...task, addresses })
        const Err =
          network === undefined ? `network ${id} not found` : `network ${network.record.name} has no free address`
        return { ...task, Status: { ...task.Status, State: 'rejected', Message: 'preparing', Err } }
      }
      addresses[id] = address
    }
    return { ...task, addresses }
  }

  #changed({ kind, id, before, after }: Changed): void {
    if (kind === 'service') {
      if (after === undefined) this.#giveUpVirtual(before as KeptService)
      else this.#look(() => this.#giveVirtual(id))
    }
    if (kind === 'task') {
      if (after === undefined || isOver(after as KeptTask)) this.#giveUp((before ?? after) as KeptTask)
      else this.#giveGateways(after as KeptTask)
    }
    if (kind === 'node' && after === undefined) {
      for (const network of this.#parts.store.all('network')) this.#look(() => this.#takeGateway(network.ID, id))
    }
  }

  #reserve(networkId: string, text: string): void {
    const address = parseAddress(text)
    if (address !== undefined) this.#parts.network(networkId)?.subnet4?.leases.reserve(address)
  }

  #release(networkId: string, text: string): void {
    const address = parseAddress(text)
    if (address !== undefined) this.#parts.network(networkId)?.subnet4?.leases.giveUp(address)
  }

  #reserveAll(task: KeptTask): void {
    if (isOver(task)) return
    for (const [network, address] of Object.entries(task.addresses ?? {})) this.#reserve(network, address)
  }

  #giveUp({ addresses = {} }: KeptTask): void {
    for (const [network, address] of Object.entries(addresses)) this.#release(network, address)
  }

  #reserveVirtual({ Endpoint }: KeptService): void {
    for (const { NetworkID, Addr } of Endpoint.VirtualIPs ?? []) this.#reserve(NetworkID, Addr.split('/')[0] ?? '')
  }

  #giveUpVirtual({ Endpoint }: KeptService): void {
    for (const { NetworkID, Addr } of Endpoint.VirtualIPs ?? []) this.#release(NetworkID, Addr.split('/')[0] ?? '')
  }

  #reserveGateways({ ID, gateways }: KeptNetwork): void {
    for (const address of Object.values(gateways)) this.#reserve(ID, address)
  }

  /** One for each network that it is on, the same for as long as it is there. */
  async #giveVirtual(serviceId: string): Promise<void> {
    const { store } = this.#parts
    const service = store.get('service', serviceId)
    if (service === undefined) return
    const known = service.Endpoint.VirtualIPs ?? []
    const targets = service.Spec.EndpointSpec?.Mode === 'dnsrr' ? [] : (service.Spec.TaskTemplate?.Networks ?? [])
    const wanted = targets.flatMap(({ Target = '' }) => this.#parts.network(Target) ?? [])
    const kept = known.filter(({ NetworkID }) => wanted.some(({ record }) => record.id === NetworkID))
    const missing = wanted.filter(({ record }) => !known.some(({ NetworkID }) => NetworkID === record.id))
    if (missing.length === 0 && kept.length === known.length) return
    const added = missing.flatMap(({ record, subnet4 }) => {
      const address = subnet4?.leases.reserveAny()
      return address === undefined ? [] : [{ NetworkID: record.id, Addr: `${address}/${subnet4?.leases.prefix ?? 32}` }]
    })
    const object = { ...service, Endpoint: { ...service.Endpoint, VirtualIPs: [...kept, ...added] } }
    if (await store.commit([{ kind: 'service', object, index: service.Version.Index }])) {
      const gone = known.filter((one) => !kept.includes(one))
      this.#giveUpVirtual({ ...service, Endpoint: { ...service.Endpoint, VirtualIPs: gone } })
    } else {
      // Somebody else was faster: their change is looked at next.
      this.#giveUpVirtual({ ...service, Endpoint: { ...service.Endpoint, VirtualIPs: added } })
    }
  }

  /** A node that has a task on a network is on it from then on. */
  #giveGateways({ NodeID, addresses = {} }: KeptTask): void {
    const { store } = this.#parts
    if (NodeID === undefined || NodeID === this.#parts.nodeId) return
    for (const id of Object.keys(addresses)) {
      if (store.get('network', id)?.gateways[NodeID] === undefined) this.#look(() => this.#giveGateway(id, NodeID))
    }
  }

  async #giveGateway(networkId: string, nodeId: string): Promise<void> {
    const { store } = this.#parts
    const network = this.#parts.network(networkId)
    const kept = store.get('network', networkId)
    if (network?.subnet4 === undefined || kept?.gateways[nodeId] !== undefined) return
    const gateway = network.subnet4.leases.reserveAny()
    if (gateway === undefined) throw new Error(`network ${network.record.name} has no free address for node ${nodeId}`)
    const own = { [this.#parts.nodeId]: network.subnet4.gateway }
    const object: KeptNetwork = {
      ...(kept ?? { ID: networkId, Version: { Index: 0 }, CreatedAt: '', UpdatedAt: '', vni: this.#freeVni() }),
      gateways: { ...own, ...kept?.gateways, [nodeId]: gateway },
    }
    if (await store.commit([{ kind: 'network', object, index: kept?.Version.Index ?? 0 }])) return
    this.#release(networkId, gateway)
    throw new Error('the network was changed meanwhile')
  }

  async #takeGateway(networkId: string, nodeId: string): Promise<void> {
    await changeObject(this.#parts.store, 'network', networkId, (network) => {
      const { [nodeId]: gateway, ...gateways } = network.gateways
      if (gateway === undefined) return undefined
      this.#release(networkId, gateway)
      return { ...network, gateways }
    })
  }

  #freeVni(): number {
    const taken = new Set(this.#parts.store.all('network').map(({ vni }) => vni))
    let vni = firstVni
    while (taken.has(vni)) vni++
    return vni
  }

  /** One after the other; what fails is tried again. */
  #look(work: () => Promise<void>): void {
    this.#last = this.#last.then(async () => {
      if (this.#isStopped) return
      await work().catch((error: Error) => {
        this.#parts.log.warn({ error: error.message }, 'an address of the swarm could not be given yet')
        setTimeout(() => this.#look(work), retryMs).unref()
      })
    })
  }
}

const networksOf = ({ Spec }: KeptTask): string[] =>
  (Spec.Networks ?? []).flatMap(({ Target = '' }) => (isOfSwarm(Target) ? [Target] : []))
