// IP addresses and subnets as numbers.
import { isIPv4, isIPv6 } from 'node:net'

export type Family = 4 | 6

export interface Address {
  family: Family
  value: bigint
}

export interface Subnet extends Address {
  prefix: number
}

const bits = { 4: 32, 6: 128 } as const

export function parseAddress(text: string): Address | undefined {
  if (isIPv4(text)) return { family: 4, value: v4Value(text) }
  return isIPv6(text) && !text.includes('%') ? { family: 6, value: v6Value(text) } : undefined
}

const v4Value = (text: string): bigint => text.split('.').reduce((value, part) => value * 256n + BigInt(part), 0n)

function v6Value(text: string): bigint {
  const tail = /^(.*:)(\d+\.\d+\.\d+\.\d+)$/.exec(text)
  if (tail !== null) {
    const low = v4Value(tail[2] ?? '')
    return v6Value(`${tail[1]}${(low >> 16n).toString(16)}:${(low & 0xffffn).toString(16)}`)
  }
  const [left = '', right] = text.split('::')
  const groups = (part: string): string[] => (part === '' ? [] : part.split(':'))
  const high = groups(left)
  const low = right === undefined ? [] : groups(right)
  const middle = Array.from({ length: 8 - high.length - low.length }, () => '0')
  return [...high, ...middle, ...low].reduce((value, group) => value * 65536n + BigInt(`0x${group}`), 0n)
}

export function formatAddress({ family, value }: Address): string {
  if (family === 4) return [24n, 16n, 8n, 0n].map((shift) => (value >> shift) & 255n).join('.')
  const groups = Array.from({ length: 8 }, (_, index) => ((value >> BigInt(112 - index * 16)) & 0xffffn).toString(16))
  return shortenZeros(groups)
}

/** The longest run of zero groups, of two at least, becomes `::`. */
function shortenZeros(groups: readonly string[]): string {
  let best = { start: 0, length: 0 }
  for (let start = 0; start < 8; start++) {
    let length = 0
    while (groups[start + length] === '0') length++
    if (length > best.length) best = { start, length }
  }
  if (best.length < 2) return groups.join(':')
  return `${groups.slice(0, best.start).join(':')}::${groups.slice(best.start + best.length).join(':')}`
}

/** `10.0.0.0/8`; undefined when it is none. Host bits may be set: `isExact` tells. */
export function parseSubnet(text: string): (Subnet & { isExact: boolean }) | undefined {
  const found = /^([^/]+)\/(\d{1,3})$/.exec(text)
  const address = parseAddress(found?.[1] ?? '')
  const prefix = Number(found?.[2])
  if (address === undefined || prefix > bits[address.family]) return undefined
  const base = (address.value >> hostBits(address.family, prefix)) << hostBits(address.family, prefix)
  return { family: address.family, value: base, prefix, isExact: base === address.value }
}

const hostBits = (family: Family, prefix: number): bigint => BigInt(bits[family] - prefix)

export const formatSubnet = (subnet: Subnet): string => `${formatAddress(subnet)}/${subnet.prefix}`

/** How many addresses, network and broadcast address among them. */
export const sizeOf = ({ family, prefix }: Subnet): bigint => 1n << hostBits(family, prefix)

export const lastOf = (subnet: Subnet): bigint => subnet.value + sizeOf(subnet) - 1n

export const contains = (subnet: Subnet, address: Address): boolean =>
  subnet.family === address.family && address.value >= subnet.value && address.value <= lastOf(subnet)

export const holds = (outer: Subnet, inner: Subnet): boolean => inner.prefix >= outer.prefix && contains(outer, inner)

export const overlaps = (a: Subnet, b: Subnet): boolean => contains(a, b) || contains(b, a)

export const isLoopback = ({ family, value }: Address): boolean => (family === 4 ? value >> 24n === 127n : value === 1n)
