// Gives out addresses of the swarm's networks: to tasks when they are placed, to services, and to nodes that are on a
// network. What is given is in the store, which takes no address twice; who has what is known from there.
import type { Log } from '@atoll/kernel/telemetry/log'
import type { LiveNetwork } from '../../network/live-network.ts'
import { changeObject } from '../store/change-object.ts'
import type { LedStore } from '../store/led-store.ts'
import type { KeptNetwork, KeptService, KeptTask } from '../store/objects.ts'
import { Retries } from '../store/retries.ts'
import type { Changed, Write } from '../store/swarm-store.ts'
import { type AddressMirror, ofService, ofTask } from './address-mirror.ts'
import { managersOf, subnetOf } from './kept-networks.ts'
import { isOfSwarm, isOver } from './task-states.ts'

export interface AllocatorParts {
  store: LedStore
  log: Log
  mirror: Pick<AddressMirror, 'giveBack'>
  /** Of a swarm, by its id; undefined for others. */
  network(id: string): LiveNetwork | undefined
}

export class Allocator {
  readonly #parts: AllocatorParts
  readonly #stopListening: () => void
  readonly #writes: Retries
  #last: Promise<unknown> = Promise.resolve()

  constructor(parts: AllocatorParts) {
    this.#parts = parts
    const { store } = parts
    this.#writes = new Retries(parts.log)
    this.#stopListening = store.listen((change) => this.#changed(change))
    for (const { ID } of store.all('service')) this.#lookAtService(ID)
    for (const { ID } of store.all('network')) this.#lookAtNetwork(ID)
  }

  async stop(): Promise<void> {
    this.#stopListening()
    await this.#writes.stop()
  }

  /** With addresses for the tasks that have a node and none yet; those that find none left are rejected. */
  fill(writes: readonly Write[]): Write[] {
    return writes.map((write) =>
      write.kind === 'task' ? { ...write, object: this.#fill(write.object as KeptTask) } : write,
    )
  }

  /** What was given to tasks that were not written is free again. */
  giveBack(writes: readonly Write[]): void {
    const { store, mirror } = this.#parts
    const isLost = ({ kind, object }: Write): boolean =>
      kind === 'task' && store.get('task', object.ID)?.addresses === undefined
    mirror.giveBack(writes.filter(isLost).flatMap(({ object }) => ofTask(object as KeptTask)))
  }

  #fill(task: KeptTask): KeptTask {
    const { store, network: find, mirror } = this.#parts
    const wanted = networksOf(task)
    if (task.NodeID === undefined || task.addresses !== undefined || wanted.length === 0 || isOver(task)) return task
    const addresses: Record<string, string> = {}
    for (const id of wanted) {
      const network = find(id)
      // It is about to come to this machine: the task is looked at again.
      if (network === undefined && store.get('network', id) !== undefined) {
        mirror.giveBack(Object.entries(addresses))
        throw new Error(`network ${id} is not on this manager yet`)
      }
      const address = network?.subnet4?.leases.reserveAny()
      if (address === undefined) {
        mirror.giveBack(Object.entries(addresses))
        const Err =
          network === undefined ? `network ${id} not found` : `network ${network.record.name} has no free address`
        return { ...task, Status: { ...task.Status, State: 'rejected', Message: 'preparing', Err } }
      }
      addresses[id] = address
    }
    return { ...task, addresses }
  }

  #changed({ kind, id, before, after }: Changed): void {
    const { store } = this.#parts
    if (kind === 'service' && after !== undefined) this.#lookAtService(id)
    if (kind === 'network' && after !== undefined) this.#lookAtNetwork(id)
    if (kind === 'task' && after !== undefined) {
      const { NodeID, addresses } = after as KeptTask
      const isNew = (network: string): boolean =>
        NodeID !== undefined && store.get('network', network)?.gateways[NodeID] === undefined
      for (const network of Object.keys(addresses ?? {})) {
        if (isNew(network)) this.#lookAtNetwork(network)
      }
    }
    const roleOf = (node: unknown) => (node as { Spec: { Role: string } } | undefined)?.Spec.Role
    if (kind === 'node' && roleOf(before) !== roleOf(after)) {
      for (const { ID } of store.all('network')) this.#lookAtNetwork(ID)
    }
  }

  /** One for each network that it is on, the same for as long as it is there. */
  async #giveVirtual(serviceId: string): Promise<void> {
    const { store, mirror } = this.#parts
    const service = store.get('service', serviceId)
    if (service === undefined) return
    const known = service.Endpoint.VirtualIPs ?? []
    const targets = service.Spec.EndpointSpec?.Mode === 'dnsrr' ? [] : (service.Spec.TaskTemplate?.Networks ?? [])
    const wanted = targets.flatMap(({ Target = '' }) => this.#parts.network(Target) ?? [])
    if (targets.some(({ Target = '' }) => store.get('network', Target) && !this.#parts.network(Target))) {
      throw new Error('a network of the service is not on this manager yet')
    }
    const kept = known.filter(({ NetworkID }) => wanted.some(({ record }) => record.id === NetworkID))
    const missing = wanted.filter(({ record }) => !known.some(({ NetworkID }) => NetworkID === record.id))
    if (missing.length === 0 && kept.length === known.length) return
    const added = missing.flatMap(({ record, subnet4 }) => {
      const address = subnet4?.leases.reserveAny()
      return address === undefined ? [] : [{ NetworkID: record.id, Addr: `${address}/${subnet4?.leases.prefix ?? 32}` }]
    })
    const object: KeptService = { ...service, Endpoint: { ...service.Endpoint, VirtualIPs: [...kept, ...added] } }
    if (await store.commit([{ kind: 'service', object, index: service.Version.Index }])) return
    mirror.giveBack(ofService({ Endpoint: { ...service.Endpoint, VirtualIPs: added } }))
    throw new Error('the service was changed meanwhile')
  }

  /** Managers are on every network, other nodes from their first task there on. */
  async #giveGateways(networkId: string): Promise<void> {
    const { store } = this.#parts
    await changeObject(store, 'network', networkId, (network) => {
      const nodes = new Set(store.all('node').map(({ ID }) => ID))
      const onIt = store.all('task').flatMap((task) => {
        const isOn = task.NodeID !== undefined && task.addresses?.[networkId] !== undefined && !isOver(task)
        return isOn ? (task.NodeID ?? []) : []
      })
      const wanted = new Set([...managersOf(store), ...onIt].filter((id) => nodes.has(id)))
      const known = Object.entries(network.gateways).filter(([id]) => nodes.has(id))
      const missing = [...wanted].filter((id) => network.gateways[id] === undefined)
      if (missing.length === 0 && known.length === Object.keys(network.gateways).length) return undefined
      return { ...network, gateways: { ...Object.fromEntries(known), ...this.#gatewaysFor(network, missing) } }
    })
  }

  #gatewaysFor(network: KeptNetwork, nodes: readonly string[]): Record<string, string> {
    const subnet = subnetOf(this.#parts.store, network)
    return Object.fromEntries(
      nodes.map((id) => {
        const address = subnet?.leases.reserveAny()
        if (address === undefined) throw new Error(`network ${network.record.name} has no free address for node ${id}`)
        return [id, address]
      }),
    )
  }

  #lookAtService(id: string): void {
    void this.#writes.run(`addresses of service ${id}`, () => this.#inTurn(() => this.#giveVirtual(id)))
  }

  #lookAtNetwork(id: string): void {
    void this.#writes.run(`addresses of nodes on network ${id}`, () => this.#inTurn(() => this.#giveGateways(id)))
  }

  /** One after the other: none chooses what another is about to have. */
  #inTurn(work: () => Promise<void>): Promise<void> {
    const mine = this.#last.then(work)
    this.#last = mine.catch(() => {})
    return mine
  }
}

const networksOf = ({ Spec }: KeptTask): string[] =>
  (Spec.Networks ?? []).flatMap(({ Target = '' }) => (isOfSwarm(Target) ? [Target] : []))
