// Published ports of containers: held on the host, and sent on by the firewall to one of the container's networks.
import { type Address, parseAddress } from './address.ts'
import type { Firewall } from './firewall.ts'
import { type Element, portElement } from './firewall-rules.ts'
import type { Target } from './held-port.ts'
import type { ClaimedPort, HostPorts } from './host-ports.ts'
import { hasIPv6 } from './host-settings.ts'
import type { LiveEndpoint } from './live-network.ts'
import { networkOptions } from './network-record.ts'
import { type PortRequest, type PortTable, portTable, wantedPorts } from './port-bindings.ts'

interface Publisher {
  /** Where the ports lead; changes when the container changes networks. */
  endpoint: LiveEndpoint | undefined
  elements: Element[]
}

export class PublishedPorts {
  readonly #firewall: Firewall
  readonly #hostPorts: HostPorts
  readonly #publishers = new Map<string, Publisher>()

  constructor(firewall: Firewall, hostPorts: HostPorts) {
    this.#firewall = firewall
    this.#hostPorts = hostPorts
  }

  /** Holds the ports on the host; `apply` sends them on. */
  async claim(
    containerId: string,
    request: PortRequest,
    endpoint: LiveEndpoint | undefined,
    isForced = false,
  ): Promise<PortTable> {
    if (endpoint === undefined) return portTable(request, [])
    const publisher: Publisher = { endpoint, elements: [] }
    const { containerName, settings } = endpoint
    const claimed = await this.#hostPorts.claim(containerId, wantedPorts(request), {
      endpoint: `${containerName} (${settings.EndpointID})`,
      defaultAddresses: defaultAddresses(endpoint),
      target: (port, family) => targetOf(publisher.endpoint, port, family),
      isForced,
    })
    this.#publishers.set(containerId, publisher)
    return portTable(request, claimed)
  }

  /** After a restart: the ports as they were given. One that somebody took meanwhile leads to the container still. */
  async reclaim(containerId: string, ports: PortTable, endpoint: LiveEndpoint | undefined): Promise<void> {
    const portBindings = Object.fromEntries(Object.entries(ports).filter(([, bindings]) => bindings !== null))
    await this.claim(containerId, { portBindings, exposedPorts: [], publishAllPorts: false }, endpoint, true)
  }

  /** Sends the ports to an endpoint, or nowhere. */
  async lead(containerId: string, endpoint: LiveEndpoint | undefined): Promise<void> {
    const publisher = this.#publishers.get(containerId)
    if (publisher === undefined) return
    const before = publisher.elements
    publisher.endpoint = endpoint
    publisher.elements = this.elements(containerId)
    await this.#firewall.change(publisher.elements, before)
  }

  /** What the firewall has to know; remembered, so that it can be taken back. */
  elements(containerId: string): Element[] {
    const publisher = this.#publishers.get(containerId)
    const { endpoint } = publisher ?? {}
    if (publisher === undefined || endpoint === undefined) return []
    publisher.elements = this.#hostPorts.of(containerId).flatMap((port) => elementOf(port, endpoint) ?? [])
    return publisher.elements
  }

  async release(containerId: string): Promise<void> {
    const publisher = this.#publishers.get(containerId)
    this.#publishers.delete(containerId)
    this.#hostPorts.release(containerId)
    if (publisher !== undefined) await this.#firewall.change([], publisher.elements)
  }

  releaseAll(): void {
    for (const id of this.#publishers.keys()) this.#hostPorts.release(id)
    this.#publishers.clear()
  }
}

function defaultAddresses({ network }: LiveEndpoint): string[] {
  const chosen = network.record.options[networkOptions.hostBinding] ?? ''
  if (chosen !== '' && chosen !== '0.0.0.0') return [chosen]
  return hasIPv6() ? ['0.0.0.0', '::'] : ['0.0.0.0']
}

/** What cannot go by the firewall goes through the holder of the port: IPv6 from the host to a container without. */
function targetOf(endpoint: LiveEndpoint | undefined, port: number, family: 4 | 6): Target | undefined {
  const address = family === 6 ? (endpoint?.address6 ?? endpoint?.address4) : endpoint?.address4
  return address === undefined ? undefined : { address, port }
}

const isAny = ({ value }: Address): boolean => value === 0n

function elementOf(
  { protocol, port, hostAddress, hostPort }: ClaimedPort,
  endpoint: LiveEndpoint,
): Element | undefined {
  const host = parseAddress(hostAddress)
  const address = host?.family === 6 ? endpoint.address6 : endpoint.address4
  if (host === undefined || address === undefined) return undefined
  // The loopback of IPv6 cannot be routed: the holder of the port serves it.
  if (host.family === 6 && host.value === 1n) return undefined
  return portElement({
    family: host.family,
    hostAddress: isAny(host) ? undefined : hostAddress,
    protocol,
    hostPort,
    address,
    port,
  })
}
