// Puts the parts of networks together: the records, the bridges of this host, the rules.
import { createHash } from 'node:crypto'
import type { Kernel } from '@atoll/kernel/kernel'
import type { EngineEvents } from '../../events/engine-events.ts'
import { BridgeNetworking } from '../../network/bridge-networking.ts'
import type { BridgeSettings } from '../../network/bridge-settings.ts'
import { NetworkRegistry } from '../../network/network-registry.ts'
import type { NetworkUsers } from '../../network/networking.ts'
import { Networks } from './service.ts'

export interface CreateNetworksSettings {
  kernel: Pick<Kernel, 'db' | 'clock' | 'ids' | 'log'>
  events: EngineEvents
  /** Where the engine keeps its files: tells this engine from others on the same host. */
  folder: string
  /** Of the default network. */
  bridge?: BridgeSettings
  /** Asked for when needed: containers in turn need networks. */
  users(): NetworkUsers
}

const instanceLength = 10

/** Then, in this order: `await networks.load()`, containers are read, `await networking.restore(running)`. */
export function createNetworks({ kernel, events, folder, users, bridge = {} }: CreateNetworksSettings): {
  networking: BridgeNetworking
  networks: Networks
} {
  const { db, clock, ids, log } = kernel
  const instance = createHash('sha256').update(folder).digest('hex').slice(0, instanceLength)
  const registry = new NetworkRegistry()
  const networking = new BridgeNetworking({ registry, events, log, folder, instance })
  const networks = new Networks({ db, clock, ids, events, registry, networking, instance, users, bridge, log })
  return { networking, networks }
}
