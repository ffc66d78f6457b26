// Which addresses lie in somebody's own network: nothing is sent there unless the operator has said so.
import { BlockList, isIP } from 'node:net'

const privateRanges: readonly [address: string, prefix: number][] = [
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
  ['::', 128],
  ['::1', 128],
  ['64:ff9b::', 96],
  ['100::', 64],
  ['fc00::', 7],
  ['fe80::', 10],
  ['ff00::', 8],
]

const familyOf = (address: string): 'ipv4' | 'ipv6' => (isIP(address) === 6 ? 'ipv6' : 'ipv4')

function listOf(ranges: readonly (readonly [string, number])[]): BlockList {
  const list = new BlockList()
  for (const [address, prefix] of ranges) list.addSubnet(address, prefix, familyOf(address))
  return list
}

const own = listOf(privateRanges)

/** IPv4 in IPv6 clothes counts as what it is. */
const plain = (address: string): string => /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1] ?? address

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

function rangeOf(entry: string): readonly [string, number] | undefined {
  const [address = '', prefix] = entry.split('/')
  const family = isIP(address)
  if (family === 0) return undefined
  return [address, prefix === undefined ? (family === 6 ? 128 : 32) : Number(prefix)]
}
