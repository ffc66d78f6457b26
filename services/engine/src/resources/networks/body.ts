// A network as answers show it.
import { hasAddresses, type NetworkRecord, scopeOf } from '../../network/network-record.ts'
import type { EndpointSettings } from '../containers/schema.ts'
import type { Network } from './schema.ts'

export function networkBody(
  record: NetworkRecord,
  users: readonly { id: string; name: string; endpoint: EndpointSettings }[],
): Network {
  return {
    Name: record.name,
    Id: record.id,
    Created: record.created,
    Scope: scopeOf(record),
    Driver: record.driver,
    EnableIPv4: hasAddresses(record.driver),
    EnableIPv6: record.enableIPv6,
    IPAM: { Driver: record.ipam.driver, Options: record.ipam.options, Config: record.ipam.config },
    Internal: record.internal,
    Attachable: record.attachable,
    Ingress: record.ingress === true,
    ConfigFrom: { Network: record.configFrom },
    ConfigOnly: record.configOnly,
    Containers: Object.fromEntries(users.map(({ id, name, endpoint }) => [id, networkContainer(name, endpoint)])),
    Options: record.options,
    Labels: record.labels,
  }
}

function networkContainer(name: string, endpoint: EndpointSettings): Network['Containers'][string] {
  const { IPAddress: v4, IPPrefixLen: bits4, GlobalIPv6Address: v6, GlobalIPv6PrefixLen: bits6 } = endpoint
  return {
    Name: name,
    EndpointID: endpoint.EndpointID ?? '',
    MacAddress: endpoint.MacAddress ?? '',
    IPv4Address: v4 ? `${v4}/${bits4 ?? 0}` : '',
    IPv6Address: v6 ? `${v6}/${bits6 ?? 0}` : '',
  }
}
