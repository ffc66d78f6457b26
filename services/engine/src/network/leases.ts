// Which addresses of one subnet are given out.
import { type Address, contains, formatAddress, lastOf, type Subnet } from './address.ts'

export class Leases {
  readonly #subnet: Subnet
  readonly #range: Subnet
  readonly #taken = new Set<bigint>()
  /** Kept for somebody who asks for this very address. */
  readonly #reserved = new Set<bigint>()
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
    return !this.#taken.has(value) && !this.#reserved.has(value)
  }

  /** Nobody gets it who does not ask for it; undefined when none is free. */
  reserveAny(): string | undefined {
    const value = this.#lowestFree()
    if (value === undefined) return undefined
    this.#reserved.add(value)
    return formatAddress({ family: this.#subnet.family, value })
  }

  reserve({ value }: Address): void {
    this.#reserved.add(value)
  }

  giveUp({ value }: Address): void {
    if (this.#reserved.delete(value)) this.#freed(value)
  }

  /** Takes this very address; false when somebody has it. */
  take({ value }: Address): boolean {
    if (this.#taken.has(value)) return false
    this.#taken.add(value)
    return true
  }

  /** The lowest that is free; undefined when none is. */
  takeAny(): string | undefined {
    const value = this.#lowestFree()
    if (value === undefined) return undefined
    this.#taken.add(value)
    return formatAddress({ family: this.#subnet.family, value })
  }

  release({ value }: Address): void {
    if (this.#taken.delete(value)) this.#freed(value)
  }

  #lowestFree(): bigint | undefined {
    const last = lastOf(this.#range)
    while (this.#next <= last && (this.#taken.has(this.#next) || this.#reserved.has(this.#next))) this.#next++
    return this.#next > last ? undefined : this.#next
  }

  #freed(value: bigint): void {
    if (value < this.#next && value >= this.#range.value) this.#next = value
  }
}
