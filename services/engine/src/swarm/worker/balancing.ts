// Makes services reachable on this machine: their published ports, and the addresses that stand for their tasks.
import type { Log } from '@atoll/kernel/telemetry/log'
import type { Balancer } from '../../network/balancer.ts'
import { ContainerQueue } from '../../network/container-queue.ts'
import type { LiveNetwork } from '../../network/live-network.ts'
import type { ContainerRecord } from '../../resources/containers/record.ts'
import type { ServiceMesh } from '../session/mesh.ts'

export interface BalancingParts {
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
  /** As they shall be. */
  readonly #services = new Map<string, ServiceMesh>()
  /** That something was done for. */
  readonly #known = new Set<string>()
  readonly #problems = new Map<string, string>()
  #isStopped = false

  constructor(parts: BalancingParts) {
    this.#parts = parts
  }

  set(mesh: ServiceMesh): void {
    this.#services.set(mesh.id, mesh)
    this.#look(mesh.id)
  }

  remove(id: string): void {
    this.#services.delete(id)
    this.#look(id)
  }

  /** A network that some of them are on is here now. */
  lookAtAll(): void {
    for (const id of this.#services.keys()) this.#look(id)
  }

  /** `isLeaving`: nothing leads anywhere any more. Otherwise connections go on while the engine is away. */
  async stop(isLeaving: boolean): Promise<void> {
    this.#isStopped = true
    await Promise.all([...this.#known].map((id) => this.#queue.run(id, async () => {})))
    const { balancer } = this.#parts
    if (!isLeaving) return balancer.releasePorts()
    for (const id of this.#known) await balancer.remove(id).catch(() => {})
    await balancer.setPeers([]).catch(() => {})
  }

  #look(id: string): void {
    if (this.#isStopped || this.#waiting.has(id)) return
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
    const { balancer, containers, network } = this.#parts
    const mesh = this.#services.get(id)
    if (mesh === undefined) {
      this.#known.delete(id)
      this.#problems.delete(id)
      return balancer.remove(id)
    }
    this.#known.add(id)
    const here = containers().filter(({ taskId = '' }) => mesh.tasks.includes(taskId))
    await balancer.set(id, {
      ports: mesh.ports,
      targets: here.flatMap(firstAddress),
      peers: mesh.elsewhere,
      addresses: mesh.addresses.flatMap(({ network: networkId, ...rest }) => {
        const live = network(networkId)
        return live === undefined ? [] : [{ ...rest, network: live }]
      }),
    })
    this.#problems.delete(id)
  }
}

const firstAddress = ({ endpoints }: ContainerRecord): string[] => {
  const [address] = Object.values(endpoints).flatMap(({ IPAddress }) => IPAddress || [])
  return address === undefined ? [] : [address]
}
