// Where the subnets of networks come from that ask for none.
import { type Family, formatSubnet, overlaps, parseSubnet, type Subnet } from './address.ts'

export interface AddressPool {
  base: Subnet
  /** Prefix length of each network taken from it. */
  size: number
}

const subnet = (text: string): Subnet => {
  const parsed = parseSubnet(text)
  if (parsed === undefined) throw new Error(`${text} is no subnet`)
  return parsed
}

const pool = (base: string, size: number): AddressPool => ({ base: subnet(base), size })

/** The usual ones: the default bridge takes the first that is free. */
export const defaultPools: readonly AddressPool[] = [
  ...Array.from({ length: 15 }, (_, index) => pool(`172.${17 + index}.0.0/16`, 16)),
  pool('192.168.0.0/16', 20),
]

/** A private IPv6 prefix of this engine's own (RFC 4193), from ten hexadecimal digits; one /64 for each network. */
export const privatePool6 = (instance: string): AddressPool =>
  pool(`fd${instance.slice(0, 2)}:${instance.slice(2, 6)}:${instance.slice(6, 10)}::/48`, 64)

/** The first subnet of a family that touches none of those in use. */
export function freeSubnet(pools: readonly AddressPool[], family: Family, used: readonly Subnet[]): string | undefined {
  for (const { base, size } of pools.filter(({ base }) => base.family === family)) {
    const step = 1n << BigInt((family === 4 ? 32 : 128) - size)
    const count = 1n << BigInt(size - base.prefix)
    for (let index = 0n; index < count; index++) {
      const candidate = { family, value: base.value + index * step, prefix: size }
      if (!used.some((other) => overlaps(candidate, other))) return formatSubnet(candidate)
    }
  }
  return undefined
}
