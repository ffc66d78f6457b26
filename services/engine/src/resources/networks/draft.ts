// From a request to a network: checks everything, chooses subnets and gateways.
import {
  conflict,
  forbidden,
  invalidParameter,
  invalidParameters,
  notFound,
  notSwarmManagerWords,
  systemError,
} from '../../errors.ts'
import { type Family, formatAddress, formatSubnet, overlaps, parseSubnet, type Subnet } from '../../network/address.ts'
import { type AddressPool, freeSubnet } from '../../network/address-pools.ts'
import type { BridgeNetworking } from '../../network/bridge-networking.ts'
import type { BridgePlan } from '../../network/default-bridge.ts'
import {
  bridgeNameOf,
  type IpamConfig,
  isBridged,
  isEncrypted,
  type NetworkRecord,
  predefinedNames,
} from '../../network/network-record.ts'
import type { NetworkRegistry } from '../../network/network-registry.ts'
import { isVlan, parentProblem, vlanProblems } from '../../network/vlan-options.ts'
import { ipamProblems } from './ipam-check.ts'
import { optionProblems } from './option-check.ts'
import type { CreateNetwork } from './schema.ts'

export interface DraftSettings {
  registry: NetworkRegistry
  pools: readonly AddressPool[]
  /** On a manager of a swarm: an id, where its networks get their subnets from, and all that there are; `seen`: when. */
  swarm: { id: string; pools: readonly AddressPool[]; networks: readonly NetworkRecord[]; seen: number } | undefined
  /** Subnets that the host has routes to; asked for only when one has to be chosen. */
  routed(): Promise<string[]>
  networking: Pick<BridgeNetworking, 'encryptionProblem'>
  id: string
  created: string
}

const maxNameLength = 255

export async function draftNetwork(asked: CreateNetwork, settings: DraftSettings): Promise<NetworkRecord> {
  const { registry } = settings
  const name = asked.Name ?? ''
  checkName(name, registry)
  checkKind(asked, settings)
  const source = configSource(asked, registry)
  const options = source?.options ?? asked.Options ?? {}
  const configs = source?.ipam.config ?? (asked.IPAM?.Config ?? []).map(ipamConfig)
  const enableIPv6 = source?.enableIPv6 ?? asked.EnableIPv6 ?? false
  const driver = driverOf(asked.Driver) ?? 'bridge'
  const problems = [
    ...optionProblems(options),
    ...(isVlan(driver) && asked.ConfigOnly !== true ? vlanProblems(driver, options) : []),
    ...ipamProblems(configs, enableIPv6),
    ...(await encryptionProblems({ driver, options }, asked, settings)),
  ]
  const ipamDriver = asked.IPAM?.Driver ?? 'default'
  if (ipamDriver !== 'default' && ipamDriver !== '') problems.push(`IPAM driver ${ipamDriver} is not supported`)
  if (asked.EnableIPv4 === false) problems.push('IPv4 cannot be disabled on a bridge network')
  if (problems.length > 0) throw invalidParameters(['invalid network config:', ...problems])
  const isConfigOnly = asked.ConfigOnly === true
  const record: NetworkRecord = {
    id: driver === 'overlay' && settings.swarm !== undefined ? settings.swarm.id : settings.id,
    name,
    created: settings.created,
    driver: isConfigOnly ? 'null' : driver,
    enableIPv6,
    internal: source?.internal ?? asked.Internal ?? false,
    attachable: asked.Attachable ?? false,
    ...(asked.Ingress === true ? { ingress: true } : {}),
    ipam: { driver: 'default', options: asked.IPAM?.Options ?? null, config: configs },
    chosenSubnets: configs.flatMap(({ Subnet = '' }) => (Subnet === '' ? [] : [Subnet])),
    options,
    labels: { ...source?.labels, ...asked.Labels },
    configOnly: isConfigOnly,
    configFrom: source?.name ?? '',
  }
  return isConfigOnly ? record : withSubnets(record, settings)
}

/** Never in the clear where somebody asked for the opposite. */
async function encryptionProblems(
  record: Pick<NetworkRecord, 'driver' | 'options'>,
  { Ingress: ingress }: CreateNetwork,
  { networking }: DraftSettings,
): Promise<string[]> {
  if (!isEncrypted(record)) return []
  if (ingress === true) return ['an ingress network cannot be encrypted: nodes pass requests on by themselves']
  const problem = await networking.encryptionProblem(record)
  return problem === undefined ? [] : [problem]
}

function checkName(name: string, registry: NetworkRegistry): void {
  if (name.trim() === '') throw invalidParameter('invalid network name: name is empty')
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused.
  if (name.length > maxNameLength || /[/\u0000-\u001f\u007f]/.test(name)) {
    throw invalidParameter(`invalid network name: no slashes or control characters, at most ${maxNameLength} letters`)
  }
  if (predefinedNames.has(name) || name === 'default' || name.startsWith('container:')) {
    throw forbidden(`operation is not permitted on predefined ${name} network`)
  }
  // ENG-432, ENG-433: whatever CheckDuplicate says.
  if (registry.named(name) !== undefined) throw conflict(`network with name ${name} already exists`)
}

function checkKind(
  { Driver: driver = '', Scope: scope = '', Ingress: ingress }: CreateNetwork,
  { swarm, registry }: DraftSettings,
): void {
  if (ingress === true && driver !== 'overlay') {
    throw invalidParameter('an ingress network can only be created with the overlay driver')
  }
  if (scope !== '' && scope !== 'local' && scope !== 'swarm' && scope !== 'global') {
    throw invalidParameter(`invalid scope '${scope}': expected local, swarm or global`)
  }
  const isOfSwarm = driver === 'overlay' || scope === 'swarm' || scope === 'global'
  if (isOfSwarm && swarm === undefined) throw forbidden(notSwarmManagerWords)
  if (isOfSwarm && driver !== 'overlay') throw invalidParameter('only overlay networks can be of a whole swarm')
  if (driver === 'overlay' && scope === 'local') throw invalidParameter('overlay networks are of a whole swarm')
  if (ingress === true && registry.all.some((record) => record.ingress)) {
    throw conflict('Ingress network is already present')
  }
  if (driver === 'host' || driver === 'null') throw forbidden(`only one instance of "${driver}" network is allowed`)
  if (driverOf(driver) === undefined) throw notFound(`plugin "${driver}" not found`)
}

type MadeDriver = 'bridge' | 'overlay' | 'macvlan' | 'ipvlan'

const driverNames: Record<string, MadeDriver> = {
  ...{ '': 'bridge', default: 'bridge', bridge: 'bridge' },
  ...{ macvlan: 'macvlan', ipvlan: 'ipvlan', overlay: 'overlay' },
}

const driverOf = (name = ''): MadeDriver | undefined =>
  Object.hasOwn(driverNames, name) ? driverNames[name] : undefined

/** The configuration network whose settings are taken; then the request may bring none of its own. */
function configSource(asked: CreateNetwork, registry: NetworkRegistry): NetworkRecord | undefined {
  const name = asked.ConfigFrom?.Network ?? ''
  if (name === '') return undefined
  if (asked.ConfigOnly === true) {
    throw forbidden('a configuration network cannot depend on another configuration network')
  }
  const source = registry.named(name)
  if (source === undefined) throw notFound(`configuration network "${name}" not found`)
  if (!source.configOnly) throw forbidden(`${name} is not a configuration network`)
  const hasOwn =
    Object.keys(asked.Options ?? {}).length > 0 || (asked.IPAM?.Config ?? []).length > 0 || asked.EnableIPv6 === true
  if (hasOwn || asked.Internal === true) {
    throw forbidden('user specified configurations are not supported if the network depends on a configuration network')
  }
  return source
}

function ipamConfig({ AuxAddress, AuxiliaryAddresses = AuxAddress, Subnet, IPRange, Gateway }: AskedIpam): IpamConfig {
  return {
    ...(Subnet ? { Subnet } : {}),
    ...(IPRange ? { IPRange } : {}),
    ...(Gateway ? { Gateway } : {}),
    ...(AuxiliaryAddresses ? { AuxiliaryAddresses } : {}),
  }
}

type AskedIpam = NonNullable<NonNullable<CreateNetwork['IPAM']>['Config']>[number]

async function withSubnets(
  record: NetworkRecord,
  { registry, pools: usual, swarm, routed }: DraftSettings,
): Promise<NetworkRecord> {
  const pools =
    record.driver === 'overlay' ? [...(swarm?.pools ?? []), ...usual.filter(({ base }) => base.family === 6)] : usual
  const elsewhere = (swarm?.networks ?? []).filter(({ id }) => !registry.all.some((one) => one.id === id))
  const others = [...registry.all, ...elsewhere].filter(({ configOnly }) => !configOnly)
  refuseSameLink(record, others)
  const used = others.flatMap(subnetsInUse)
  const given = record.ipam.config.filter(({ Subnet }) => Subnet !== undefined)
  const taking = subnetsInUse(record).find((subnet) => used.some((other) => overlaps(subnet, other)))
  if (taking !== undefined) {
    const text = formatSubnet(taking)
    throw forbidden(`invalid pool request: Pool overlaps with other one on this address space (${text})`)
  }
  const families = given.map(({ Subnet = '' }) => parseSubnet(Subnet)?.family)
  const wanted: Family[] = record.enableIPv6 ? [4, 6] : [4]
  const missing = wanted.filter((family) => !families.includes(family))
  if (missing.length === 0) return { ...record, ipam: { ...record.ipam, config: given.map(withGateway) } }
  const taken = [...used, ...(await routed()).flatMap((text) => parseSubnet(text) ?? [])]
  const chosen = missing.map((family) => choose(family, pools, taken))
  return { ...record, ipam: { ...record.ipam, config: [...given, ...chosen].map(withGateway) } }
}

function refuseSameLink(record: NetworkRecord, others: readonly NetworkRecord[]): void {
  const problem = isVlan(record.driver) ? parentProblem(record, others) : undefined
  if (problem !== undefined) throw forbidden(problem)
  if (!isBridged(record.driver)) return
  const bridge = bridgeNameOf(record)
  const same = others.find((other) => isBridged(other.driver) && bridgeNameOf(other) === bridge)
  if (same === undefined) return
  throw forbidden(`cannot create network ${record.name} (${bridge}): ${same.name} has the same bridge name`)
}

/** An IPv6 subnet of a network without IPv6 is only written down. */
const subnetsInUse = ({ ipam, enableIPv6 }: NetworkRecord): Subnet[] =>
  ipam.config.flatMap(({ Subnet = '' }) => parseSubnet(Subnet) ?? []).filter(({ family }) => family === 4 || enableIPv6)

function choose(family: Family, pools: readonly AddressPool[], taken: readonly Subnet[]): IpamConfig {
  const subnet = freeSubnet(pools, family, taken)
  if (subnet === undefined) {
    throw systemError('all predefined address pools have been fully subnetted')
  }
  return { Subnet: subnet }
}

/** The first address of the range that nobody else has. */
function withGateway(config: IpamConfig): IpamConfig {
  const subnet = parseSubnet(config.Subnet ?? '')
  if (subnet === undefined || config.Gateway !== undefined) return config
  const range = parseSubnet(config.IPRange ?? '') ?? subnet
  const others = new Set(Object.values(config.AuxiliaryAddresses ?? {}))
  let value = range.value === subnet.value ? subnet.value + 1n : range.value
  while (others.has(formatAddress({ family: subnet.family, value }))) value++
  return { ...config, Gateway: formatAddress({ family: subnet.family, value }) }
}

/** The networks that every host has. */
export async function draftPredefined(
  name: string,
  settings: DraftSettings,
  plan?: BridgePlan,
): Promise<NetworkRecord> {
  const base: NetworkRecord = {
    id: settings.id,
    name,
    created: settings.created,
    driver: name === 'bridge' ? 'bridge' : name === 'host' ? 'host' : 'null',
    enableIPv6: false,
    internal: false,
    attachable: false,
    ipam: { driver: 'default', options: null, config: [] },
    chosenSubnets: [],
    options: {},
    labels: {},
    configOnly: false,
    configFrom: '',
  }
  if (name !== 'bridge') return base
  const options = {
    'com.docker.network.bridge.default_bridge': 'true',
    'com.docker.network.bridge.enable_icc': 'true',
    'com.docker.network.bridge.enable_ip_masquerade': 'true',
    'com.docker.network.bridge.host_binding_ipv4': '0.0.0.0',
    'com.docker.network.bridge.name': plan?.name ?? bridgeNameOf(base),
    'com.docker.network.driver.mtu': '1500',
  }
  const config = plan?.subnet === undefined ? [] : [{ Subnet: plan.subnet }]
  return withSubnets({ ...base, options, ipam: { ...base.ipam, config } }, settings)
}
