// Follows what a node has to know of tasks on other nodes, and tells it what changed.
import type { MeshSink } from '../session/mesh.ts'
import type { KeptNode, KeptTask } from '../store/objects.ts'
import type { Changed, SwarmStore } from '../store/swarm-store.ts'
import { networkMesh, serviceMesh } from './describe-mesh.ts'

export interface MeshWatchParts {
  store: SwarmStore
  nodeId: string
  /** UDP port for traffic between machines. */
  port(): number
}

/** Changes of one moment are told together. */
const gatherMs = 5

export class MeshWatch {
  readonly #parts: MeshWatchParts
  readonly #sink: MeshSink
  readonly #networks = new Set<string>()
  readonly #services = new Set<string>()
  /** What was told last, as JSON. */
  readonly #told = { network: new Map<string, string>(), service: new Map<string, string>(), peers: '' }
  readonly #stopListening: () => void
  #timer: NodeJS.Timeout | undefined
  /** Where other nodes are has changed: to look at each of them for every task would be too much with many. */
  #arePeersOthers = true

  constructor(parts: MeshWatchParts, sink: MeshSink) {
    this.#parts = parts
    this.#sink = sink
    this.#stopListening = parts.store.listen((change) => this.#changed(change))
    this.#lookAtAll()
    this.#tell()
  }

  stop(): void {
    this.#stopListening()
    clearTimeout(this.#timer)
  }

  /** Ids of those that the node is on. */
  get networks(): string[] {
    return [...this.#told.network.keys()]
  }

  #lookAtAll(): void {
    const { store } = this.#parts
    for (const { ID } of store.all('network')) this.#networks.add(ID)
    for (const { ID } of store.all('service')) this.#services.add(ID)
  }

  #changed({ kind, id, before, after }: Changed): void {
    if (kind === 'service') this.#services.add(id)
    else if (kind === 'network') this.#networks.add(id)
    else if (kind === 'task') {
      if (!this.#taskChanged(before as KeptTask | undefined, after as KeptTask | undefined)) return
    } else if (kind === 'node' && placeOf(before as KeptNode) !== placeOf(after as KeptNode)) {
      this.#arePeersOthers = true
      this.#lookAtAll()
    } else return
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined
      this.#tell()
    }, gatherMs)
  }

  /** False: nobody reaches it by an address or a port of the swarm, so there is nothing to tell. */
  #taskChanged(before: KeptTask | undefined, after: KeptTask | undefined): boolean {
    const { ServiceID = '', addresses } = after ?? before ?? {}
    const { Endpoint } = this.#parts.store.get('service', ServiceID) ?? {}
    const isReached = (Endpoint?.Ports ?? []).length > 0 || (Endpoint?.VirtualIPs ?? []).length > 0
    if (isReached || this.#told.service.has(ServiceID)) this.#services.add(ServiceID)
    const networks = Object.keys({ ...before?.addresses, ...addresses })
    for (const network of networks) this.#networks.add(network)
    return isReached || this.#services.has(ServiceID) || networks.length > 0
  }

  #tell(): void {
    if (this.#arePeersOthers) this.#tellPeers()
    for (const id of this.#networks) this.#tellNetwork(id)
    for (const id of this.#services) this.#tellService(id)
    this.#networks.clear()
    this.#services.clear()
  }

  #tellPeers(): void {
    const { store, nodeId } = this.#parts
    this.#arePeersOthers = false
    const peers = store.all('node').flatMap(({ ID, Status }) => (ID === nodeId ? [] : Status.Addr || []))
    if (JSON.stringify(peers) !== this.#told.peers) this.#sink.peers(peers)
    this.#told.peers = JSON.stringify(peers)
  }

  #tellNetwork(id: string): void {
    const { store, nodeId, port } = this.#parts
    const mesh = networkMesh(store, id, nodeId, port())
    if (mesh === undefined) {
      if (this.#told.network.delete(id)) this.#sink.networkGone(id)
    } else if (this.#isNews('network', id, mesh)) this.#sink.network(mesh)
  }

  #tellService(id: string): void {
    const { store, nodeId } = this.#parts
    const service = store.get('service', id)
    const mesh = service && serviceMesh(store, service, nodeId)
    if (mesh === undefined || (mesh.ports.length === 0 && mesh.addresses.length === 0)) {
      if (this.#told.service.delete(id)) this.#sink.serviceGone(id)
    } else if (this.#isNews('service', id, mesh)) this.#sink.service(mesh)
  }

  #isNews(kind: 'network' | 'service', id: string, mesh: object): boolean {
    const text = JSON.stringify(mesh)
    if (this.#told[kind].get(id) === text) return false
    this.#told[kind].set(id, text)
    return true
  }
}

const placeOf = (node: KeptNode | undefined): string =>
  node === undefined ? '' : `${node.dataPath} ${node.Status.Addr} ${node.tunnelKey}`
