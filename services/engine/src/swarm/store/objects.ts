// What a swarm keeps, by kind.

import type { NetworkRecord } from '../../network/network-record.ts'
import type { Node } from '../../resources/nodes/schema.ts'
import type { Secret } from '../../resources/secrets/schema.ts'
import type { PortConfig, Service } from '../../resources/services/schema.ts'
import type { Cluster } from '../../resources/swarm/schema.ts'
import type { Task } from '../../resources/tasks/schema.ts'
import type { ClusterVolume } from '../../resources/volumes/cluster/schema.ts'
import type { Sealed } from '../identity/sealing.ts'
import type { CsiNodes } from '../volumes/node-volume.ts'

/** What only managers see of it. */
export interface KeptCluster extends Cluster {
  tokens: { worker: Sealed; manager: Sealed }
  /** PEM of the authority's key. */
  authorityKey: Sealed
  /** The next authority: it signs for nodes already, and is trusted when all of them have its certificates. */
  rotation?: { TLSInfo: Cluster['TLSInfo']; authorityKey: Sealed; crossSigned: string } | undefined
  /** PEM: the authority as the one before it signed it, for nodes that trust that one still. */
  crossSigned?: string | undefined
  /** What people unlock managers with; undefined where these do not lock themselves. */
  unlockKey?: Sealed | undefined
  /** Absent in swarms of before, whose one manager had their networks in its own database. */
  hasNetworks?: true
}

/** Data is sealed: what lies on a disk tells nothing. */
export interface KeptSecret extends Secret {
  data: Sealed
}

export interface KeptConfig extends Secret {
  data: Sealed
}

export interface KeptService extends Service {
  /** What was sent in X-Registry-Auth. */
  registryAuth?: Sealed
  previousRegistryAuth?: Sealed
}

/** One of the cluster's that a task has, for one of its mounts. */
export interface TaskVolume {
  ID: string
  Source: string
  Target: string
}

export interface KeptTask extends Task {
  /** When its place was given to a new task again, in milliseconds: for restart policies. */
  restarts?: number[]
  /** It does not run before, in milliseconds. */
  notBefore?: number
  /** Ports of its node that it takes. */
  hostPorts?: PortConfig[]
  /** What it has on networks of the swarm, by their ids. */
  addresses?: Record<string, string>
  /** The name of a container that was put on a network by hand. */
  attached?: string
  volumes?: TaskVolume[]
}

export interface KeptNode extends Node {
  /** For traffic of networks between machines. */
  dataPath?: string
  /** Its public key for networks that are encrypted; absent where it cannot have any. */
  tunnelKey?: string | undefined
  /** What its CSI plugins say of it. */
  csi?: CsiNodes
}

/** Secrets are only named in it. */
export interface KeptVolume extends ClusterVolume {
  name: string
  /** Its plugin. */
  driver: string
  options: Record<string, string>
  labels: Record<string, string>
  /** It is used no more, and goes once its plugin has removed it. */
  isRemoving?: true
  /** Its plugin was asked to make it, and nobody knows yet what came of that. */
  isBeingMade?: true
  /** What the plugin calls the nodes that it lets have it, by their ids: one that is gone can tell nobody. */
  nodeNames?: Record<string, string>
  /** What keeps its plugin from doing what is to be done. */
  problem?: string
}

/** A network of the swarm, and how it spans machines. */
export interface KeptNetwork {
  ID: string
  Version: { Index: number }
  CreatedAt: string
  UpdatedAt: string
  /** As its maker described it. */
  record: NetworkRecord
  /** Tells networks on one wire apart. */
  vni: number
  /** Of the nodes that are on it, by their ids: its containers there find the world through it. */
  gateways: Record<string, string>
}

export interface Kinds {
  cluster: KeptCluster
  node: KeptNode
  network: KeptNetwork
  service: KeptService
  task: KeptTask
  secret: KeptSecret
  config: KeptConfig
  volume: KeptVolume
}

export type Kind = keyof Kinds
export const kinds = [
  ...(['cluster', 'node', 'network', 'service', 'task', 'secret', 'config', 'volume'] as const),
] as const satisfies readonly Kind[]

/** What all of them have. */
export interface Stored {
  ID: string
  Version: { Index: number }
  CreatedAt: string
  UpdatedAt: string
  Spec?: object
}
