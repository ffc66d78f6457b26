// Networks and mounts of a container as list and inspect show them.
import { posix } from 'node:path'
import type { ContainerRecord, MountPoint } from './record.ts'
import type { EndpointSettings } from './schema.ts'

export function endpointView(endpoint: EndpointSettings) {
  return {
    IPAMConfig: endpoint.IPAMConfig ?? null,
    Links: endpoint.Links ?? null,
    Aliases: endpoint.Aliases ?? null,
    MacAddress: endpoint.MacAddress ?? '',
    DriverOpts: endpoint.DriverOpts ?? null,
    NetworkID: endpoint.NetworkID ?? '',
    EndpointID: endpoint.EndpointID ?? '',
    Gateway: endpoint.Gateway ?? '',
    IPAddress: endpoint.IPAddress ?? '',
    IPPrefixLen: endpoint.IPPrefixLen ?? 0,
    IPv6Gateway: endpoint.IPv6Gateway ?? '',
    GlobalIPv6Address: endpoint.GlobalIPv6Address ?? '',
    GlobalIPv6PrefixLen: endpoint.GlobalIPv6PrefixLen ?? 0,
    DNSNames: endpoint.DNSNames ?? null,
  }
}

export const networksView = ({ endpoints }: ContainerRecord) =>
  Object.fromEntries(Object.entries(endpoints).map(([name, endpoint]) => [name, endpointView(endpoint)]))

/** The deprecated fields at the top tell of the default bridge alone. */
export function networkSettings(record: ContainerRecord) {
  const bridge = record.endpoints.bridge
  const { pid } = record.state
  return {
    Bridge: '',
    SandboxID: pid === 0 ? '' : record.id,
    SandboxKey: pid === 0 ? '' : `/proc/${pid}/ns/net`,
    Ports: record.ports,
    HairpinMode: false,
    LinkLocalIPv6Address: '',
    LinkLocalIPv6PrefixLen: 0,
    SecondaryIPAddresses: null,
    SecondaryIPv6Addresses: null,
    EndpointID: bridge?.EndpointID ?? '',
    Gateway: bridge?.Gateway ?? '',
    GlobalIPv6Address: bridge?.GlobalIPv6Address ?? '',
    GlobalIPv6PrefixLen: bridge?.GlobalIPv6PrefixLen ?? 0,
    IPAddress: bridge?.IPAddress ?? '',
    IPPrefixLen: bridge?.IPPrefixLen ?? 0,
    IPv6Gateway: bridge?.IPv6Gateway ?? '',
    MacAddress: bridge?.MacAddress ?? '',
    Networks: networksView(record),
  }
}

/** Bind mounts also show how they were asked to be bound. */
/** What `--tmpfs` asks for is shown with the limits alone. */
export const shownMounts = ({ mounts, hostConfig: { Tmpfs = {} } }: ContainerRecord) =>
  mounts.filter(({ Type, Destination }) => Type !== 'tmpfs' || !tmpfsPlaces(Tmpfs).has(Destination)).map(mountView)

const tmpfsPlaces = (asked: Readonly<Record<string, string>>): Set<string> =>
  new Set(Object.keys(asked).map((place) => posix.join(place, '.')))

function mountView({ options, ...mount }: MountPoint) {
  const asked = {
    ...(options?.nonRecursive ? { NonRecursive: true } : {}),
    ...(options?.readOnlyNonRecursive ? { ReadOnlyNonRecursive: true } : {}),
    ...(options?.readOnlyForceRecursive ? { ReadOnlyForceRecursive: true } : {}),
  }
  const isShown = mount.Type === 'bind' && Object.keys(asked).length > 0
  return isShown ? { ...mount, BindOptions: asked } : mount
}
