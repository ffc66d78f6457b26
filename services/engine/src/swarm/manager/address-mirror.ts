// What is given out of the swarm's networks, as every manager knows it: its own containers get nothing of that.
import { parseAddress } from '../../network/address.ts'
import type { LiveNetwork } from '../../network/live-network.ts'
import type { KeptNetwork, KeptService, KeptTask } from '../store/objects.ts'
import type { Changed, SwarmStore } from '../store/swarm-store.ts'
import { isOver } from './task-states.ts'

export interface AddressMirrorParts {
  store: SwarmStore
  /** Of a swarm, by its id; undefined where it is not on this machine. */
  network(id: string): LiveNetwork | undefined
}

type Given = readonly (readonly [network: string, address: string])[]

export class AddressMirror {
  readonly #parts: AddressMirrorParts
  readonly #stopListening: () => void

  constructor(parts: AddressMirrorParts) {
    this.#parts = parts
    this.reserve(this.#known())
    this.#stopListening = parts.store.listen((change) => this.#changed(change))
  }

  stop(): void {
    this.#stopListening()
  }

  /** A network came to this machine. */
  came(networkId: string): void {
    this.reserve(this.#known().filter(([network]) => network === networkId))
  }

  reserve(given: Given): void {
    this.#each(given, (network, address) => network.subnet4?.leases.reserve(address))
  }

  /** What was to be given and was not written: somebody else may have it in the store by now, and keeps it. */
  giveBack(given: Given): void {
    if (given.length === 0) return
    this.#giveUp(given)
    const networks = new Set(given.map(([network]) => network))
    this.reserve(this.#known().filter(([network]) => networks.has(network)))
  }

  #giveUp(given: Given): void {
    this.#each(given, (network, address) => network.subnet4?.leases.giveUp(address))
  }

  #known(): Given {
    const { store } = this.#parts
    return [
      ...store.all('task').flatMap(ofTask),
      ...store.all('service').flatMap(ofService),
      ...store.all('network').flatMap(ofNetwork),
    ]
  }

  #changed({ kind, before, after }: Changed): void {
    const now = givenTo(kind, after)
    const isKept = ([network, address]: Given[number]): boolean =>
      now.some(([other, same]) => other === network && same === address)
    this.#giveUp(givenTo(kind, before).filter((one) => !isKept(one)))
    this.reserve(now)
  }

  #each(given: Given, act: (network: LiveNetwork, address: NonNullable<ReturnType<typeof parseAddress>>) => void) {
    for (const [id, text] of given) {
      const [network, address] = [this.#parts.network(id), parseAddress(text)]
      if (network !== undefined && address !== undefined) act(network, address)
    }
  }
}

export const ofTask = (task: KeptTask): Given => (isOver(task) ? [] : Object.entries(task.addresses ?? {}))

export const ofService = ({ Endpoint }: Pick<KeptService, 'Endpoint'>): Given =>
  (Endpoint.VirtualIPs ?? []).map(({ NetworkID, Addr }) => [NetworkID, Addr.split('/')[0] ?? ''])

const ofNetwork = ({ ID, gateways }: KeptNetwork): Given =>
  Object.values(gateways).map((address) => [ID, address] as const)

function givenTo(kind: Changed['kind'], object: Changed['after']): Given {
  if (object === undefined) return []
  if (kind === 'task') return ofTask(object as KeptTask)
  if (kind === 'service') return ofService(object as KeptService)
  return kind === 'network' ? ofNetwork(object as KeptNetwork) : []
}
