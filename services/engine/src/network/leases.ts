// Which addresses of one subnet are given out.
import { type Address, contains, formatAddress, lastOf, type Subnet } from './address.ts'

export class Leases {
  readonly #subnet: Subnet
  readonly #range: Subnet
  readonly #taken = new Set<bigint>()
  /** Nothing below is free. */
  #next: bigint

  /** Addresses that nobody asks for by name come from `range`. */
  constructor(subnet: Subnet, range: Subnet, reserved: readonly Address[]) {
    this.#subnet = subnet
    this.#range = range
    this.#next = range.value
    for (const { value } of reserved) this.#taken.add(value)
    this.#taken.add(subnet.value)
    if (subnet.family === 4 && subnet.prefix < 31) this.#taken.add(lastOf(subnet))
  }

  get prefix(): number {
    return this.#subnet.prefix
  }

  covers(address: Address): boolean {
    return contains(this.#subnet, address)
  }

  isFree({ value }: Address): boolean {
    return !this.#taken.has(value)
  }

  /** Takes this very address; false when somebody has it. */
  take({ value }: Address): boolean {
    if (this.#taken.has(value)) return false
    this.#taken.add(value)
    return true
  }

  /** The lowest that is free; undefined when none is. */
  takeAny(): string | undefined {
    const last = lastOf(this.#range)
    while (this.#next <= last && this.#taken.has(this.#next)) this.#next++
    if (this.#next > last) return undefined
    this.#taken.add(this.#next)
    return formatAddress({ family: this.#subnet.family, value: this.#next++ })
  }

  release({ value }: Address): void {
    if (this.#taken.delete(value) && value < this.#next && value >= this.#range.value) this.#next = value
  }
}
