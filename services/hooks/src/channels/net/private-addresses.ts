// Which addresses lie in somebody's own network: nothing is sent there unless the operator has said so.
import { BlockList, isIP } from 'node:net'

type Range = readonly [address: string, prefix: number]

const privateIpv4: readonly Range[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
]

const privateIpv6: readonly Range[] = [
  // Nobody, oneself, and every IPv4 address that is written as an IPv6 one.
  ['::', 96],
  // Translated to IPv4 by somebody on the way: by us, or by whoever runs this network.
  ['::ffff:0:0:0', 96],
  ['64:ff9b::', 96],
  ['64:ff9b:1::', 48],
  ['100::', 64],
  // Teredo, which carries an IPv4 address in disguise.
  ['2001::', 32],
  ['fc00::', 7],
  ['fe80::', 10],
  ['fec0::', 10],
  ['ff00::', 8],
]

/** 6to4: the IPv4 address behind it stands in the second and third group. */
function tunnelTo([address, prefix]: Range): Range {
  const [a = 0, b = 0, c = 0, d = 0] = address.split('.').map(Number)
  return [`2002:${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}::`, 16 + prefix]
}

const familyOf = (address: string): 'ipv4' | 'ipv6' => (isIP(address) === 6 ? 'ipv6' : 'ipv4')

function listOf(ranges: readonly Range[]): BlockList {
  const list = new BlockList()
  for (const [address, prefix] of ranges) list.addSubnet(address, prefix, familyOf(address))
  return list
}

const own = listOf([...privateIpv4, ...privateIpv6, ...privateIpv4.map(tunnelTo)])

/** IPv4 in IPv6 clothes counts as what it is; on which link an address lies does not matter. */
const plain = (address: string): string =>
  /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1] ?? address.replace(/%.*$/, '')

export const isPrivate = (address: string): boolean => own.check(plain(address), familyOf(plain(address)))

/** What the operator allows nevertheless. */
export class AllowedAddresses {
  readonly #names: ReadonlySet<string>
  readonly #ranges: BlockList

  constructor(entries: readonly string[]) {
    const ranges = entries.map(rangeOf)
    this.#names = new Set(entries.filter((_, index) => ranges[index] === undefined).map((name) => name.toLowerCase()))
    this.#ranges = listOf(ranges.filter((range) => range !== undefined))
  }

  admits(host: string, address: string): boolean {
    if (!isPrivate(address) || this.#names.has(host.toLowerCase())) return true
    return this.#ranges.check(plain(address), familyOf(plain(address)))
  }
}

function rangeOf(entry: string): Range | undefined {
  const [address = '', prefix] = entry.split('/')
  const family = isIP(address)
  if (family === 0) return undefined
  return [address, prefix === undefined ? (family === 6 ? 128 : 32) : Number(prefix)]
}
