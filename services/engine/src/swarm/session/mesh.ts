// What a node has to know to reach tasks of other nodes: of each network that it is on, and of each service.
import type { BalancedPort } from '../../network/balancer.ts'
import type { NetworkRecord } from '../../network/network-record.ts'
import type { Span } from '../../network/spans.ts'

export interface NetworkMesh {
  /** With the gateway of this node. */
  record: NetworkRecord
  span: Span
  /** Containers of other nodes. */
  named: { names: string[]; address: string }[]
}

export interface ServiceMesh {
  id: string
  /** That every node has. */
  ports: BalancedPort[]
  /** Ids of its running tasks on this node. */
  tasks: string[]
  /** Addresses of other nodes, one for each running task there. */
  elsewhere: string[]
  /** What stands for its tasks, on each of its networks. */
  addresses: { network: string; address: string; names: string[]; targets: string[] }[]
}

/** Who is told of it: this machine, or a worker over its session. */
export interface MeshSink {
  network(mesh: NetworkMesh): void
  networkGone(id: string): void
  service(mesh: ServiceMesh): void
  serviceGone(id: string): void
  /** Addresses of all other nodes. */
  peers(addresses: string[]): void
}

/** Until `stop`. */
export interface MeshWatching {
  /** Ids of those that the node is on. */
  networks: string[]
  stop(): void
}
