// Lines for `ip -batch`: bridges, and wires between a bridge and a container.
import { existsSync, readFileSync } from 'node:fs'
import { parseAddress } from './address.ts'
import { readEndpointSysctls } from './endpoint-sysctls.ts'
import { linkGroup } from './firewall-rules.ts'
import { hardwareAddressOf } from './hardware-address.ts'
import type { LiveEndpoint, LiveNetwork } from './live-network.ts'
import { runProgram } from './program.ts'

/** Marks links as ours, and as this engine's. */
export const markOf = (instance: string): string => `atoll:${instance}`

export interface HostLink {
  name: string
  mark: string
}

export const runIp = (lines: readonly string[]): Promise<string> =>
  lines.length === 0 ? Promise.resolve('') : runProgram('ip', ['-batch', '-'], `${lines.join('\n')}\n`)

export const runIpInside = (pid: number, lines: readonly string[]): Promise<string> =>
  runProgram('nsenter', [`--net=/proc/${pid}/ns/net`, 'ip', '-batch', '-'], `${lines.join('\n')}\n`)

/** Beside the links there are settings of all, and those of new ones. */
export const isLinkThere = (name: string): boolean =>
  name !== 'all' && name !== 'default' && existsSync(`/proc/sys/net/ipv4/conf/${name}`)

/** Links of the host that carry a mark. */
export async function markedLinks(): Promise<HostLink[]> {
  const links: { ifname: string; ifalias?: string }[] = JSON.parse(await runProgram('ip', ['-json', 'link', 'show']))
  return links.flatMap(({ ifname, ifalias }) => (ifalias === undefined ? [] : [{ name: ifname, mark: ifalias }]))
}

/** Subnets that the host has routes to by links that are meant. */
export async function routedSubnets(isMeant: (link: string) => boolean): Promise<string[]> {
  const read = async (family: string): Promise<{ dst: string; dev?: string }[]> =>
    JSON.parse((await runProgram('ip', ['-json', family, 'route', 'show'])) || '[]')
  const routes = [...(await read('-4')), ...(await read('-6'))]
  return routes
    .filter(({ dst, dev }) => dst !== 'default' && isMeant(dev ?? ''))
    .map(({ dst }) => (dst.includes('/') ? dst : `${dst}/${parseAddress(dst)?.family === 6 ? 128 : 32}`))
}

export function addBridge(network: LiveNetwork, mark: string): string[] {
  const { bridge, mtu } = network
  const hardware = hardwareAddressOf(network.subnet4?.gateway ?? '')
  return [
    `link add name ${bridge} mtu ${mtu} address ${hardware} type bridge`,
    `link set dev ${bridge} alias ${mark} group ${linkGroup}`,
  ]
}

/**
 * Also right for a bridge that is there already. Packets are passed on by IPv6 only once the bridge has a link-local
 * address; one of its own choice would be checked for seconds first.
 */
export const bridgeAddresses = ({ bridge, subnets, subnet6 }: LiveNetwork): string[] => [
  `link set dev ${bridge} addrgenmode none`,
  ...(subnet6 === undefined ? [] : [`addr replace fe80::1/64 dev ${bridge} nodad`]),
  ...subnets.map(({ subnet, gateway }) =>
    subnet.family === 4
      ? `addr replace ${gateway}/${subnet.prefix} brd + dev ${bridge}`
      : `addr replace ${gateway}/${subnet.prefix} dev ${bridge} nodad`,
  ),
  `link set dev ${bridge} up`,
]

/**
 * The host looks into frames that pass its bridges (br_netfilter). A container that asks for its own published port
 * then gets the answer on the same port of the bridge, which has to allow that.
 */
function filtersBridges(): boolean {
  const file = '/proc/sys/net/bridge/bridge-nf-call-iptables'
  return existsSync(file) && readFileSync(file, 'utf8').trim() === '1'
}

/** The other end appears in the network namespace of the process at once. */
export function addWire({ network, link, interfaceName, settings }: LiveEndpoint, pid: number, mark: string): string[] {
  const { bridge, mtu } = network
  return [
    `link add name ${link} mtu ${mtu} type veth peer name ${interfaceName} mtu ${mtu} address ${settings.MacAddress} netns ${pid}`,
    `link set dev ${link} alias ${mark} addrgenmode none master ${bridge} up`,
    ...(network.isSilent ? [`link set dev ${link} type bridge_slave isolated on`] : []),
    ...(filtersBridges() ? [`link set dev ${link} type bridge_slave hairpin on`] : []),
  ]
}

export function setUpInside({ network, interfaceName, settings, address4, address6 }: LiveEndpoint): string[] {
  const linkLocal = settings.IPAMConfig?.LinkLocalIPs ?? []
  return [
    ...(address6 === undefined ? [`link set dev ${interfaceName} addrgenmode none`] : []),
    ...(address4 === undefined
      ? []
      : [`addr add ${address4}/${network.subnet4?.subnet.prefix} brd + dev ${interfaceName}`]),
    ...(address6 === undefined
      ? []
      : [`addr add ${address6}/${network.subnet6?.subnet.prefix} dev ${interfaceName} nodad`]),
    ...linkLocal.map((text) =>
      parseAddress(text)?.family === 6
        ? `addr add ${text}/64 dev ${interfaceName} scope link nodad`
        : `addr add ${text}/16 dev ${interfaceName} scope link`,
    ),
    `link set dev ${interfaceName} up`,
  ]
}

/** The way out of a container leads through one of its networks. */
export function defaultRoutes({ network, interfaceName, address4, address6 }: LiveEndpoint): string[] {
  const { subnet4, subnet6, hasGateway } = network
  const dev = interfaceName === '' ? '' : ` dev ${interfaceName}`
  if (!hasGateway) {
    return [
      ...(address4 === undefined ? [] : [`-4 route replace default${dev}`]),
      ...(address6 === undefined ? [] : [`-6 route replace default${dev}`]),
    ]
  }
  return [
    ...(subnet4 === undefined || address4 === undefined ? [] : [`route replace default via ${subnet4.gateway}${dev}`]),
    ...(subnet6 === undefined || address6 === undefined ? [] : [`route replace default via ${subnet6.gateway}${dev}`]),
  ]
}

// Values are arguments, never part of the program's text.
const writeSettings = 'while [ $# -gt 0 ]; do printf %s "$2" > "/proc/sys/$1" || exit 1; shift 2; done'

/** Kernel settings of the interface, from within its network namespace. */
export async function applySysctls(endpoints: readonly LiveEndpoint[], pid: number): Promise<void> {
  const words = endpoints.flatMap(({ settings, interfaceName }) =>
    readEndpointSysctls(settings).sysctls.flatMap(({ path, value }) => [path.replace('IFNAME', interfaceName), value]),
  )
  if (words.length === 0) return
  await runProgram('nsenter', [`--net=/proc/${pid}/ns/net`, 'sh', '-c', writeSettings, 'sh', ...words])
}
