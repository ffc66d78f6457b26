// What the engine remembers of a network: written before anything is acknowledged.
export interface IpamConfig {
  Subnet?: string
  IPRange?: string
  Gateway?: string
  AuxiliaryAddresses?: Record<string, string>
}

export type NetworkDriverName = 'bridge' | 'overlay' | 'macvlan' | 'ipvlan' | 'host' | 'null'

/** Its containers have addresses of their own. */
export const hasAddresses = (driver: NetworkDriverName): boolean => driver !== 'host' && driver !== 'null'

/** Its containers are on a bridge of the host. */
export const isBridged = (driver: NetworkDriverName): boolean => driver === 'bridge' || driver === 'overlay'

export const scopeOf = ({ driver }: Pick<NetworkRecord, 'driver'>): 'local' | 'swarm' =>
  driver === 'overlay' ? 'swarm' : 'local'

/** What goes between machines can be read by nobody else. */
export const isEncrypted = ({ driver, options }: Pick<NetworkRecord, 'driver' | 'options'>): boolean =>
  driver === 'overlay' && 'encrypted' in options && readSwitch(options.encrypted) !== false

/** Only tasks come to a network of a swarm, unless it is open to others. */
export const attachProblems = ({ name, driver, attachable }: NetworkRecord, isTask: boolean): string[] =>
  driver === 'overlay' && !attachable && !isTask
    ? [`Could not attach to network ${name}: network ${name} not manually attachable`]
    : []

export interface NetworkRecord {
  /** 64 hexadecimal digits. */
  id: string
  name: string
  /** RFC 3339 with nanoseconds. */
  created: string
  driver: NetworkDriverName
  enableIPv6: boolean
  internal: boolean
  attachable: boolean
  /** It takes requests for a swarm. */
  ingress?: boolean
  /** With the subnets and gateways that were chosen; at most one of each family. */
  ipam: { driver: string; options: Record<string, string> | null; config: IpamConfig[] }
  /** Subnets that the caller chose: only there may containers ask for an address. */
  chosenSubnets: string[]
  options: Record<string, string>
  labels: Record<string, string>
  /** Settings for other networks to copy; no network by itself. */
  configOnly: boolean
  /** Name of the network whose settings these are; '' for none. */
  configFrom: string
}

export const defaultBridge = 'bridge'

/** They are always there. */
export const predefinedNames: ReadonlySet<string> = new Set([defaultBridge, 'host', 'none'])

export const networkOptions = {
  isDefaultBridge: 'com.docker.network.bridge.default_bridge',
  bridgeName: 'com.docker.network.bridge.name',
  icc: 'com.docker.network.bridge.enable_icc',
  masquerade: 'com.docker.network.bridge.enable_ip_masquerade',
  hostBinding: 'com.docker.network.bridge.host_binding_ipv4',
  mtu: 'com.docker.network.driver.mtu',
  interfacePrefix: 'com.docker.network.container_iface_prefix',
  gatewayMode4: 'com.docker.network.bridge.gateway_mode_ipv4',
  gatewayMode6: 'com.docker.network.bridge.gateway_mode_ipv6',
} as const

/** Option values are read as Go reads them. */
export function readSwitch(text: string | undefined): boolean | undefined {
  if (text === undefined) return undefined
  if (/^(1|t|true)$/i.test(text)) return true
  return /^(0|f|false)$/i.test(text) ? false : undefined
}

export const bridgeNameOf = ({ id, name, options }: Pick<NetworkRecord, 'id' | 'name' | 'options'>): string =>
  options[networkOptions.bridgeName] ?? (name === defaultBridge ? 'atoll0' : `br-${id.slice(0, 12)}`)
