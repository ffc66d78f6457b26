// Gives an endpoint what it needs: addresses, a hardware address, names, an id.
import { randomBytes } from 'node:crypto'
import { forbidden, systemError } from '../errors.ts'
import type { EndpointSettings } from '../resources/containers/schema.ts'
import { formatAddress, parseAddress } from './address.ts'
import { hardwareAddressOf, readHardwareAddress } from './hardware-address.ts'
import type { LiveEndpoint, LiveNetwork, LiveSubnet } from './live-network.ts'

export interface EndpointOwner {
  id: string
  name: string
  hostname: string
}

/**
 * What was asked for, out of settings that may hold what was given at an earlier start. A hardware address that was
 * made of the address then given was not asked for.
 */
export function askedEndpoint(endpoint: EndpointSettings): EndpointSettings {
  const { IPAMConfig, Links, Aliases, DriverOpts, NetworkID, MacAddress, IPAddress } = endpoint
  const isMade = MacAddress !== undefined && IPAddress !== undefined && MacAddress === hardwareAddressOf(IPAddress)
  return {
    IPAMConfig,
    Links,
    Aliases,
    DriverOpts,
    NetworkID,
    MacAddress: isMade ? undefined : MacAddress,
  } as EndpointSettings
}

const shortIdLength = 12

/** Names by which others on the same network find a container. */
export function dnsNames(owner: EndpointOwner, aliases: readonly string[]): string[] {
  const shortId = owner.id.slice(0, shortIdLength)
  return [...new Set([owner.name, ...aliases, shortId, ...(owner.hostname === '' ? [] : [owner.hostname])])]
}

/** Registers the endpoint with its network. Throws when an address is taken or none is left. */
export function grantEndpoint(
  network: LiveNetwork,
  owner: EndpointOwner,
  endpoint: EndpointSettings,
  {
    interfaceName,
    address,
  }: { interfaceName: string /** That others gave it already. */; address?: string | undefined },
): LiveEndpoint {
  const asked = askedEndpoint(endpoint)
  const address4 = takeAddress(network.subnet4, address ?? asked.IPAMConfig?.IPv4Address)
  let address6: string | undefined
  try {
    address6 = takeAddress(network.subnet6, asked.IPAMConfig?.IPv6Address)
  } catch (problem) {
    const taken = parseAddress(address4 ?? '')
    if (taken !== undefined) network.subnet4?.leases.release(taken)
    throw problem
  }
  const endpointId = randomBytes(32).toString('hex')
  // All interfaces of an ipvlan network have that of the link that they hang on.
  const hardware =
    network.record.driver === 'ipvlan'
      ? ''
      : (readHardwareAddress(asked.MacAddress ?? '') ?? hardwareAddressOf(address4 ?? ''))
  const hasGateway = !network.isInternal && network.hasGateway
  const settings: EndpointSettings = {
    ...asked,
    NetworkID: network.record.id,
    EndpointID: endpointId,
    Gateway: hasGateway ? (network.subnet4?.gateway ?? '') : '',
    IPAddress: address4 ?? '',
    IPPrefixLen: network.subnet4?.subnet.prefix ?? 0,
    IPv6Gateway: hasGateway ? (network.subnet6?.gateway ?? '') : '',
    GlobalIPv6Address: address6 ?? '',
    GlobalIPv6PrefixLen: network.subnet6?.subnet.prefix ?? 0,
    MacAddress: hardware,
    DNSNames: network.isDefault ? undefined : dnsNames(owner, asked.Aliases ?? []),
  }
  const granted = liveEndpoint(network, owner, settings, interfaceName)
  network.add(granted)
  return granted
}

/** One that runs already, after a restart of the engine. Its addresses are its own. */
export function keepEndpoint(network: LiveNetwork, owner: EndpointOwner, settings: EndpointSettings): LiveEndpoint {
  const kept = liveEndpoint(network, owner, settings, '')
  for (const [subnet, text] of [
    [network.subnet4, kept.address4],
    [network.subnet6, kept.address6],
  ] as const) {
    const address = parseAddress(text ?? '')
    if (address !== undefined) subnet?.leases.take(address)
  }
  network.add(kept)
  return kept
}

export const linkNameOf = (endpointId: string): string => `veth${endpointId.slice(0, 11)}`

function liveEndpoint(
  network: LiveNetwork,
  owner: EndpointOwner,
  settings: EndpointSettings,
  interfaceName: string,
): LiveEndpoint {
  return {
    network,
    containerId: owner.id,
    containerName: owner.name,
    settings,
    link: linkNameOf(settings.EndpointID ?? ''),
    interfaceName,
    address4: settings.IPAddress || undefined,
    address6: settings.GlobalIPv6Address || undefined,
  }
}

function takeAddress(subnet: LiveSubnet | undefined, wanted: string | undefined): string | undefined {
  if (subnet === undefined) return undefined
  const address = parseAddress(wanted ?? '')
  if (address !== undefined && subnet.leases.covers(address)) {
    if (!subnet.leases.take(address)) throw forbidden('Address already in use')
    return formatAddress(address)
  }
  const free = subnet.leases.takeAny()
  if (free === undefined) throw systemError(`no available addresses on this pool: ${subnet.text}`)
  return free
}
