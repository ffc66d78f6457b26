// The memory that loaded models may take together. A model that needs room sends away those nobody uses, the one
// that was used longest ago first.
import { totalmem } from 'node:os'
import { ModelProblem } from '../problem.ts'

/** The rest is for the API, the database and everything else on the machine. */
const shareOfMachine = 0.7
const retryAfterSeconds = 30
const megabyte = 1024 ** 2

export interface Tenant {
  bytes: number
  /** Unloads unless it is in use; false when it is. */
  leave(): Promise<boolean>
}

export class MemoryBudget {
  readonly #maxBytes: number
  /** In the order of their last use. */
  readonly #tenants = new Set<Tenant>()

  constructor(maxBytes: number = totalmem() * shareOfMachine) {
    this.#maxBytes = maxBytes
  }

  /** Makes room, or throws. The newcomer counts from here on. */
  async enter(tenant: Tenant): Promise<void> {
    this.mustHold(tenant.bytes)
    this.#tenants.add(tenant)
    for (const other of this.#tenants) {
      if (this.#used() <= this.#maxBytes) return
      if (other !== tenant && (await other.leave())) this.#tenants.delete(other)
    }
    if (this.#used() <= this.#maxBytes) return
    this.#tenants.delete(tenant)
    const message = 'There is no memory left for this model while others are in use.'
    throw new ModelProblem(message, { kind: 'overloaded', retryAfterSeconds })
  }

  /** Loads what needs the room. One that does not load gives it back. */
  async enterWith<T>(tenant: Tenant, load: () => Promise<T>): Promise<T> {
    await this.enter(tenant)
    try {
      return await load()
    } catch (error) {
      this.exit(tenant)
      throw error
    }
  }

  /** Throws when so much would not fit even if nothing else was there. */
  mustHold(bytes: number): void {
    if (bytes <= this.#maxBytes) return
    const need = Math.ceil(bytes / megabyte)
    const message = `This model needs ${need} MB of memory, but only ${Math.floor(this.#maxBytes / megabyte)} MB may be used. Take a smaller one, a shorter contextLength, or fewer slots.`
    throw new ModelProblem(message, { kind: 'not_installed' })
  }

  touch(tenant: Tenant): void {
    if (this.#tenants.delete(tenant)) this.#tenants.add(tenant)
  }

  exit(tenant: Tenant): void {
    this.#tenants.delete(tenant)
  }

  #used(): number {
    let sum = 0
    for (const { bytes } of this.#tenants) sum += bytes
    return sum
  }
}
