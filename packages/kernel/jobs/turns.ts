// Whose turn it is on this node: what each tenant has running, and who had the last turn.
import type { ClaimedJob } from './claim-order.ts'

export class Turns {
  readonly #running = new Map<string, number>()
  #lastTenant = ''

  get running(): ReadonlyMap<string, number> {
    return this.#running
  }

  get lastTenant(): string {
    return this.#lastTenant
  }

  began({ tenant }: Pick<ClaimedJob, 'tenant'>): void {
    this.#running.set(tenant, (this.#running.get(tenant) ?? 0) + 1)
  }

  ended({ tenant }: Pick<ClaimedJob, 'tenant'>): void {
    const left = (this.#running.get(tenant) ?? 1) - 1
    if (left > 0) this.#running.set(tenant, left)
    else this.#running.delete(tenant)
  }

  /** The next turns begin behind the last of these, counted from whoever had the last turn. */
  passed(jobs: readonly Pick<ClaimedJob, 'tenant'>[]): void {
    const tenants = jobs.map(({ tenant }) => tenant)
    const behind = tenants.filter((tenant) => tenant > this.#lastTenant)
    // Those before it come after those behind it.
    const around = tenants.filter((tenant) => tenant <= this.#lastTenant)
    const last = (around.length > 0 ? around : behind).sort().at(-1)
    if (last !== undefined) this.#lastTenant = last
  }
}
