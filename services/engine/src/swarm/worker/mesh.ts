// Makes tasks of other nodes reachable from this machine, as a manager tells where they are.
import type { Log } from '@atoll/kernel/telemetry/log'
import { systemError } from '../../errors.ts'
import type { BridgeNetworking } from '../../network/bridge-networking.ts'
import { ContainerQueue } from '../../network/container-queue.ts'
import type { Networks } from '../../resources/networks/service.ts'
import type { MeshSink, NetworkMesh, ServiceMesh } from '../session/mesh.ts'
import type { Balancing } from './balancing.ts'

export interface MeshParts {
  networks: Networks
  networking: BridgeNetworking
  balancing: Balancing
  log: Log
  /** A network is on this machine from now on. */
  came(networkId: string): void
}

const retryMs = 1_000
/** How long a task waits for its networks. */
const comingMs = 20_000

export class Mesh implements MeshSink {
  readonly #parts: MeshParts
  readonly #queue = new ContainerQueue()
  /** As they shall be; undefined: gone. */
  readonly #wanted = new Map<string, NetworkMesh | undefined>()
  readonly #waiting = new Map<string, Set<() => void>>()
  readonly #here = new Set<string>()
  /** Why those that are not as they should be are not. */
  readonly #problems = new Map<string, string>()
  #isStopped = false

  constructor(parts: MeshParts) {
    this.#parts = parts
  }

  stop(): void {
    this.#isStopped = true
  }

  network(mesh: NetworkMesh): void {
    this.#wanted.set(mesh.record.id, mesh)
    this.#look(mesh.record.id)
  }

  networkGone(id: string): void {
    this.#wanted.set(id, undefined)
    this.#look(id)
  }

  /** Others that this machine was on are gone, or are no longer its own. */
  keepOnly(ids: readonly string[]): void {
    for (const id of this.#parts.networks.idsOfSwarm()) if (!ids.includes(id)) this.networkGone(id)
  }

  service(mesh: ServiceMesh): void {
    this.#parts.balancing.set(mesh)
  }

  serviceGone(id: string): void {
    this.#parts.balancing.remove(id)
  }

  peers(addresses: string[]): void {
    void this.#queue.run('peers', () =>
      this.#parts.networking.balancer
        .setPeers(addresses)
        .catch((error: Error) => this.#parts.log.warn({ error: error.message }, 'other nodes are not all known')),
    )
  }

  /** Resolves when a network is here. */
  has(id: string): Promise<void> {
    if (this.#parts.networks.liveOfSwarm(id) !== undefined) return Promise.resolve()
    return new Promise((resolve, reject) => {
      const waiting = this.#waiting.get(id) ?? new Set()
      this.#waiting.set(id, waiting)
      const done = (): void => {
        clearTimeout(timer)
        waiting.delete(done)
        resolve()
      }
      const timer = setTimeout(() => {
        waiting.delete(done)
        reject(systemError(this.#problems.get(id) ?? `network ${id} of the swarm did not come to this node in time`))
      }, comingMs).unref()
      waiting.add(done)
    })
  }

  #look(id: string): void {
    if (this.#isStopped) return
    void this.#queue
      .run(id, () => (this.#isStopped ? Promise.resolve() : this.#make(id)))
      .catch((error: Error) => {
        if (this.#isStopped) return
        // Tried again and again, told once.
        if (this.#problems.get(id) !== error.message) {
          this.#parts.log.warn(
            { network: id, error: error.message },
            'a network of the swarm is not as it should be here',
          )
        }
        this.#problems.set(id, error.message)
        setTimeout(() => this.#look(id), retryMs).unref()
      })
  }

  async #make(id: string): Promise<void> {
    const { networks, networking, balancing } = this.#parts
    const mesh = this.#wanted.get(id)
    if (mesh === undefined) {
      await networks.abandon(id)
      this.#here.delete(id)
      this.#wanted.delete(id)
      return
    }
    const problem = await networking.encryptionProblem(mesh.record)
    if (problem !== undefined) throw systemError(`network ${mesh.record.name}: ${problem}`)
    await networks.adopt(mesh.record)
    if (!this.#here.has(id)) this.#parts.came(id)
    networks.liveOfSwarm(id)?.nameElsewhere(mesh.named)
    await networking.span(mesh.record, mesh.span)
    this.#problems.delete(id)
    for (const done of this.#waiting.get(id) ?? []) done()
    if (this.#here.has(id)) return
    this.#here.add(id)
    balancing.lookAtAll()
  }
}
