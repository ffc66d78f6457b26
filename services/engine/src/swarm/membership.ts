// This machine as a manager of a swarm: its store and its keys, while the engine runs.

import type { ManagerIdentity } from './identity/node-identity.ts'
import type { Sealing } from './identity/sealing.ts'
import type { EtcdClient } from './store/etcd-client.ts'
import type { KeptCluster } from './store/objects.ts'
import type { SwarmStore } from './store/swarm-store.ts'

export interface Membership {
  identity: ManagerIdentity
  store: SwarmStore
  client: EtcdClient
  sealing: Sealing
  /** What `sealing` seals with. */
  key: Buffer
}

export const clusterOf = ({ store, identity }: Pick<Membership, 'store' | 'identity'>): KeptCluster => {
  const cluster = store.get('cluster', identity.clusterId)
  if (cluster === undefined) throw new Error('the swarm has no record of itself')
  return cluster
}

/** What sealed things are, so that none can take another's place. */
export const places = {
  authorityKey: 'authority key',
  unlockKey: 'unlock key',
  token: (role: 'worker' | 'manager') => `token ${role}`,
  secret: (id: string) => `secret ${id}`,
  config: (id: string) => `config ${id}`,
  registryAuth: (id: string) => `registry auth ${id}`,
}
