// A network at work: its settings as numbers, who is on it, who has which address and name.
import type { EndpointSettings } from '../resources/containers/schema.ts'
import { type Address, formatAddress, parseAddress, parseSubnet, type Subnet } from './address.ts'
import type { NetworkRules } from './firewall-rules.ts'
import { Leases } from './leases.ts'
import {
  bridgeNameOf,
  defaultBridge,
  isEncrypted,
  type NetworkRecord,
  networkOptions,
  readSwitch,
} from './network-record.ts'
import { askedParent, isVlan, usesGateway } from './vlan-options.ts'

export interface LiveSubnet {
  subnet: Subnet
  /** As it was written. */
  text: string
  gateway: string
  leases: Leases
}

export interface LiveEndpoint {
  network: LiveNetwork
  containerId: string
  containerName: string
  settings: EndpointSettings
  /** The host's end of the wire. */
  link: string
  /** In the container: `eth0`; unknown for one found again after a restart. */
  interfaceName: string
  address4: string | undefined
  address6: string | undefined
}

const defaultMtu = 1500
/** Between machines each packet travels inside another; one that is encrypted, inside two. */
const spanningMtu = 1450
const encryptedMtu = 1350

const mtuBetween = (record: NetworkRecord): number => (isEncrypted(record) ? encryptedMtu : spanningMtu)

export class LiveNetwork {
  readonly record: NetworkRecord
  readonly bridge: string
  /** Undefined: that of the link that it hangs on. */
  readonly mtu: number | undefined
  readonly subnet4: LiveSubnet | undefined
  readonly subnet6: LiveSubnet | undefined
  /** By container. */
  readonly endpoints = new Map<string, LiveEndpoint>()
  readonly #names = new Map<string, Set<LiveEndpoint>>()
  readonly #addresses = new Map<string, LiveEndpoint>()
  readonly #services = new Map<string, { service: string; address: string }>()
  #elsewhere = new Map<string, Address[]>()
  #namesElsewhere = new Map<string, string>()

  constructor(record: NetworkRecord) {
    this.record = record
    this.bridge = bridgeNameOf(record)
    const mtu =
      record.options[networkOptions.mtu] ??
      (isVlan(record.driver) ? undefined : record.driver === 'overlay' ? mtuBetween(record) : defaultMtu)
    this.mtu = mtu === undefined ? undefined : Number(mtu)
    const subnets = record.ipam.config.flatMap((config) => liveSubnet(config) ?? [])
    this.subnet4 = subnets.find(({ subnet }) => subnet.family === 4)
    this.subnet6 = record.enableIPv6 ? subnets.find(({ subnet }) => subnet.family === 6) : undefined
  }

  get subnets(): LiveSubnet[] {
    return [this.subnet4, this.subnet6].flatMap((subnet) => subnet ?? [])
  }

  get isDefault(): boolean {
    return this.record.name === defaultBridge
  }

  /** No way leads out of it. */
  get isInternal(): boolean {
    const { record } = this
    return record.internal || (isVlan(record.driver) && askedParent(record) === undefined)
  }

  /** Its way out leads through a router, rather than just out. */
  get hasGateway(): boolean {
    return usesGateway(this.record)
  }

  /** Containers may not speak to one another. */
  get isSilent(): boolean {
    return readSwitch(this.record.options[networkOptions.icc]) === false
  }

  get interfacePrefix(): string {
    return this.record.options[networkOptions.interfacePrefix] ?? 'eth'
  }

  get rules(): NetworkRules {
    return {
      bridge: this.bridge,
      isInternal: this.record.internal,
      subnets: this.subnets.map(({ subnet, text }) => ({ family: subnet.family, subnet: text })),
      isHidden: readSwitch(this.record.options[networkOptions.masquerade]) !== false && !this.record.internal,
    }
  }

  add(endpoint: LiveEndpoint): void {
    this.endpoints.set(endpoint.containerId, endpoint)
    for (const address of addressesOf(endpoint)) this.#addresses.set(formatAddress(address), endpoint)
    for (const name of endpoint.settings.DNSNames ?? []) {
      const key = name.toLowerCase()
      const known = this.#names.get(key)
      if (known === undefined) this.#names.set(key, new Set([endpoint]))
      else known.add(endpoint)
    }
  }

  remove(endpoint: LiveEndpoint): void {
    if (this.endpoints.get(endpoint.containerId) !== endpoint) return
    this.endpoints.delete(endpoint.containerId)
    for (const address of addressesOf(endpoint)) {
      this.#addresses.delete(formatAddress(address))
      const subnet = address.family === 4 ? this.subnet4 : this.subnet6
      subnet?.leases.release(address)
    }
    this.#forgetNames(endpoint)
  }

  #forgetNames(endpoint: LiveEndpoint): void {
    for (const name of endpoint.settings.DNSNames ?? []) {
      const key = name.toLowerCase()
      const known = this.#names.get(key)
      known?.delete(endpoint)
      if (known?.size === 0) this.#names.delete(key)
    }
  }

  /** The same endpoint with other settings: its addresses stay. */
  replace(endpoint: LiveEndpoint, other: LiveEndpoint): void {
    this.#forgetNames(endpoint)
    this.add(other)
  }

  /** A service of a swarm is found by its names, which lead to an address that stands for its tasks. */
  nameService(service: string, names: readonly string[], address: string): void {
    for (const name of names) this.#services.set(name.toLowerCase(), { service, address })
  }

  forgetService(service: string, names: readonly string[]): void {
    for (const name of names) {
      if (this.#services.get(name.toLowerCase())?.service === service) this.#services.delete(name.toLowerCase())
    }
  }

  serviceNamed(name: string): Address | undefined {
    const found = this.#services.get(name)
    return found === undefined ? undefined : parseAddress(found.address)
  }

  /** Containers of other machines; the first of its names is a container's own. */
  nameElsewhere(containers: readonly { names: readonly string[]; address: string }[]): void {
    this.#elsewhere = new Map()
    this.#namesElsewhere = new Map()
    for (const { names, address: text } of containers) {
      const address = parseAddress(text)
      if (address === undefined) continue
      this.#namesElsewhere.set(formatAddress(address), names[0] ?? '')
      for (const name of names) {
        const key = name.toLowerCase()
        this.#elsewhere.set(key, [...(this.#elsewhere.get(key) ?? []), address])
      }
    }
  }

  namedElsewhere(name: string): readonly Address[] {
    return this.#elsewhere.get(name) ?? []
  }

  nameElsewhereOf(address: Address): string | undefined {
    return this.#namesElsewhere.get(formatAddress(address))
  }

  named(name: string): readonly LiveEndpoint[] {
    return [...(this.#names.get(name) ?? [])]
  }

  at(address: Address): LiveEndpoint | undefined {
    return this.#addresses.get(formatAddress(address))
  }
}

export const addressesOf = ({ address4, address6 }: Pick<LiveEndpoint, 'address4' | 'address6'>): Address[] =>
  [address4, address6].flatMap((text) => (text === undefined ? [] : (parseAddress(text) ?? [])))

function liveSubnet(config: NetworkRecord['ipam']['config'][number]): LiveSubnet | undefined {
  const subnet = parseSubnet(config.Subnet ?? '')
  const gateway = parseAddress(config.Gateway ?? '')
  if (subnet === undefined || gateway === undefined) return undefined
  const range = parseSubnet(config.IPRange ?? '') ?? subnet
  const others = Object.values(config.AuxiliaryAddresses ?? {}).flatMap((text) => parseAddress(text) ?? [])
  return {
    subnet,
    text: config.Subnet ?? '',
    gateway: formatAddress(gateway),
    leases: new Leases(subnet, range, [gateway, ...others]),
  }
}
