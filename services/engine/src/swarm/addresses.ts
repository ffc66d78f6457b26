// Where a node listens, and by which address others reach it.
import { isIP } from 'node:net'
import { networkInterfaces } from 'node:os'
import { invalidParameter } from '../errors.ts'
import { overlaps, parseSubnet } from '../network/address.ts'

const defaultPort = 2377
const defaultPool = '10.0.0.0/8'
export const defaultSubnetSize = 24
const [smallestSubnet, largestSubnet] = [29, 8]
const defaultDataPort = 4789
const [lowestDataPort, highestDataPort] = [1024, 49_151]

export interface Place {
  host: string
  port: number
}

/** `0.0.0.0:2377`, `eth0`, `[::1]:2377`; undefined where it is none. */
export function readPlace(text: string): Place | undefined {
  if (isIP(text) !== 0) return { host: text, port: defaultPort }
  const found = /^(?:\[([^\]]+)\]|([^:[\]]+))(?::(\d{1,5}))?$/.exec(text)
  const port = Number(found?.[3] ?? defaultPort)
  const host = found?.[1] ?? found?.[2]
  return host === undefined || port < 1 || port > 65_535 ? undefined : { host, port }
}

export const written = ({ host, port }: Place): string => (host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`)

const addressesOf = (name: string): string[] =>
  (networkInterfaces()[name] ?? []).flatMap(({ address }) => (address.startsWith('fe80:') ? [] : [address]))

/** By which others may reach this machine: no loopback, and no bridge that leads to containers alone. */
const outerAddresses = (ownBridges: ReadonlySet<string>): string[] =>
  Object.entries(networkInterfaces())
    .filter(([name]) => !ownBridges.has(name))
    .flatMap(([, addresses]) => addresses ?? [])
    .flatMap(({ address, family, internal }) => (internal || family !== 'IPv4' ? [] : [address]))

function toAddress(host: string, what: string): string {
  if (isIP(host) !== 0) return host
  const [address] = addressesOf(host).sort((one, other) => isIP(one) - isIP(other))
  if (address === undefined) {
    throw invalidParameter(
      `invalid ${what} address ${host}: it is neither an IP address nor an interface of this machine`,
    )
  }
  return address
}

export function listenAddress(asked: string | undefined): string {
  const place = readPlace(asked || `0.0.0.0:${defaultPort}`)
  if (place === undefined) throw invalidParameter(`invalid ListenAddr: "${asked}" is no address with a port`)
  return written({ ...place, host: toAddress(place.host, 'listen') })
}

/** As asked for, the address that it listens on, or the only one that this machine has besides its own bridges. */
export function advertiseAddress(
  asked: string | undefined,
  listening: string,
  ownBridges: ReadonlySet<string> = new Set(),
): string {
  const listens = readPlace(listening)
  const place = asked ? readPlace(asked) : undefined
  if (asked && place === undefined) {
    throw invalidParameter(
      'advertise address must be a non-zero IP address or network interface (with optional port number)',
    )
  }
  const port = place !== undefined && /:\d+$/.test(asked ?? '') ? place.port : (listens?.port ?? defaultPort)
  if (place !== undefined) {
    const host = toAddress(place.host, 'advertise')
    if (isUnspecified(host)) {
      throw invalidParameter(
        'advertise address must be a non-zero IP address or network interface (with optional port number)',
      )
    }
    return written({ host, port })
  }
  if (listens !== undefined && !isUnspecified(listens.host)) return written({ host: listens.host, port })
  const known = outerAddresses(ownBridges)
  // The docker command adds what to do to exactly these words.
  const [only] = known
  if (only === undefined) {
    throw invalidParameter("could not find the system's IP address")
  }
  if (known.length > 1) {
    throw invalidParameter(
      `could not choose an IP address to advertise since this system has multiple addresses (${known.join(', ')})`,
    )
  }
  return written({ host: only, port })
}

const isUnspecified = (host: string): boolean => /^(0\.0\.0\.0|[:0]+)$/.test(host)

/** ENG-629: traffic of overlay networks may go another way. */
export function dataPathAddress(asked: string | undefined, advertised: string): string {
  if (!asked) return hostOf(advertised)
  const host = toAddress(asked, 'data path')
  if (isUnspecified(host)) throw invalidParameter('data path address must be a non-zero IP address')
  return host
}

/** Where managers reach each other's stores: the port after the one for nodes. */
export function peerUrlOf(address: string): string {
  const { host, port } = readPlace(address) ?? { host: address, port: defaultPort }
  return `https://${written({ host, port: port + 1 })}`
}

export const hostOf = (address: string): string => readPlace(address)?.host ?? address

/** ENG-620 */
export function dataPathPort(asked: number | undefined): number {
  if (!asked) return defaultDataPort
  if (asked < lowestDataPort || asked > highestDataPort) {
    throw invalidParameter(`invalid DataPathPort: ${asked} is outside of ${lowestDataPort} to ${highestDataPort}`)
  }
  return asked
}

/** ENG-623, ENG-624: where networks of the swarm get their subnets from. */
export function addressPools(pools: readonly string[] | undefined, asked: number | undefined) {
  const size = asked || defaultSubnetSize
  const chosen = pools === undefined || pools.length === 0 ? [defaultPool] : pools
  const read = chosen.map((text) => {
    const subnet = parseSubnet(text)
    if (subnet === undefined || !subnet.isExact || subnet.family !== 4) {
      throw invalidParameter(`invalid DefaultAddrPool: ${text} is no IPv4 subnet like ${defaultPool}`)
    }
    if (subnet.prefix > size) {
      throw invalidParameter(`invalid CIDR: "${text}". Subnet size is too small for pool: ${size}`)
    }
    return subnet
  })
  if (size < largestSubnet || size > smallestSubnet) {
    throw invalidParameter(`invalid SubnetSize: ${size} is outside of ${largestSubnet} to ${smallestSubnet}`)
  }
  read.forEach((one, index) => {
    if (read.slice(0, index).some((other) => overlaps(one, other))) {
      throw invalidParameter(`invalid DefaultAddrPool: ${chosen[index]} overlaps with another pool`)
    }
  })
  return { DefaultAddrPool: [...chosen], SubnetSize: size }
}
