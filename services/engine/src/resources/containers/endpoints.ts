// The networks a new container is to be on, and what stays of an endpoint when the container rests.
import { invalidParameter } from '../../errors.ts'
import type { NetworkedContainer } from '../../network/networking.ts'
import { joinedContainer, networkMode } from './host-config.ts'
import type { ContainerRecord } from './record.ts'
import type { ContainerConfig, CreateContainer, EndpointSettings, HostConfig } from './schema.ts'

export type Endpoints = Record<string, EndpointSettings>

/** No setting at all. */
export const plainEndpoint = {} as EndpointSettings

/** By network as asked for: the one of the network mode first. Empty when the network is another container's. */
export function askedEndpoints(config: ContainerConfig, hostConfig: HostConfig, asked: CreateContainer): Endpoints {
  const mode = networkMode(hostConfig.NetworkMode)
  if (joinedContainer(mode) !== undefined || config.NetworkDisabled === true) return {}
  const given = asked.NetworkingConfig?.EndpointsConfig ?? {}
  const { default: ofDefault, ...rest } = given
  const main = rest[mode] ?? (mode === 'bridge' ? ofDefault : undefined) ?? plainEndpoint
  return { [mode]: withMac(main, config.MacAddress), ...without(rest, mode) }
}

const without = (endpoints: Endpoints, name: string): Endpoints =>
  Object.fromEntries(Object.entries(endpoints).filter(([other]) => other !== name))

function withMac(endpoint: EndpointSettings, containerWide: string | undefined): EndpointSettings {
  if (!containerWide) return endpoint
  if (endpoint.MacAddress && endpoint.MacAddress !== containerWide) {
    throw invalidParameter(
      'the container-wide MAC address must match the endpoint-specific MAC address for the main network, or be left empty',
    )
  }
  return { ...endpoint, MacAddress: containerWide }
}

const sysctlLabel = 'com.docker.network.endpoint.sysctls'
const ofFirstInterface = /^net\.(ipv4|ipv6|mpls)\.(\w+)\.eth0\.(.+)$/

/** ENG-105: a sysctl of the first interface belongs to its endpoint. */
export function moveInterfaceSysctls(
  hostConfig: HostConfig,
  endpoints: Endpoints,
): { hostConfig: HostConfig; endpoints: Endpoints; warnings: string[] } {
  const sysctls = Object.entries(hostConfig.Sysctls ?? {})
  const moved = sysctls.filter(([name]) => ofFirstInterface.test(name))
  const [first] = Object.entries(endpoints)
  if (moved.length === 0 || first === undefined) return { hostConfig, endpoints, warnings: [] }
  const [network, endpoint] = first
  const before = endpoint.DriverOpts?.[sysctlLabel]
  const written = moved.map(([name, value]) => `${name.replace(ofFirstInterface, 'net.$1.$2.IFNAME.$3')}=${value}`)
  const value = [...(before ? [before] : []), ...written].join(',')
  return {
    hostConfig: { ...hostConfig, Sysctls: Object.fromEntries(sysctls.filter((entry) => !moved.includes(entry))) },
    endpoints: {
      ...endpoints,
      [network]: { ...endpoint, DriverOpts: { ...endpoint.DriverOpts, [sysctlLabel]: value } },
    },
    warnings: moved.map(
      ([name]) =>
        `Sysctl ${name} was moved to the endpoint of network ${network}: set it in its DriverOpts ${sysctlLabel}`,
    ),
  }
}

/** Without what a network gave. */
export function atRest(asked: EndpointSettings, given: EndpointSettings | undefined): EndpointSettings {
  const { IPAMConfig, Links, MacAddress, Aliases, DriverOpts, NetworkID } = asked
  return {
    ...plainEndpoint,
    IPAMConfig,
    Links,
    MacAddress,
    Aliases,
    DriverOpts,
    NetworkID: given?.NetworkID ?? NetworkID,
    DNSNames: given?.DNSNames,
  }
}

export const restingEndpoints = ({ askedEndpoints: asked, endpoints }: ContainerRecord): Endpoints =>
  Object.fromEntries(Object.entries(asked ?? endpoints).map(([name, one]) => [name, atRest(one, endpoints[name])]))

/** What networks are told of a container. */
export function networked(record: ContainerRecord, pid: number): NetworkedContainer {
  const { hostConfig, config } = record
  return {
    id: record.id,
    name: record.name,
    hostname: config.Hostname ?? '',
    pid,
    endpoints: record.askedEndpoints ?? record.endpoints,
    portBindings: Object.fromEntries(
      Object.entries(hostConfig.PortBindings ?? {}).map(([port, places]) => [withProtocol(port), places]),
    ),
    exposedPorts: Object.keys(config.ExposedPorts ?? {}).map(withProtocol),
    publishAllPorts: hostConfig.PublishAllPorts === true,
    dns: { servers: hostConfig.Dns ?? [], search: hostConfig.DnsSearch ?? [], options: hostConfig.DnsOptions ?? [] },
  }
}

const withProtocol = (port: string): string => (port.includes('/') ? port : `${port}/tcp`)
