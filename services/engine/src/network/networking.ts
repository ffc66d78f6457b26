// Networks as containers see them. Behind it: bridges, veth pairs, one nftables table, a name server per bridge.
import type { EndpointSettings } from '../resources/containers/schema.ts'

export interface NetworkedContainer {
  id: string
  /** Without the slash. */
  name: string
  hostname: string
  /** On the host: names its network namespace. */
  pid: number
  /** By network name. */
  endpoints: Record<string, EndpointSettings>
  /** `80/tcp` → where it is published; from HostConfig.PortBindings. */
  portBindings: Record<string, { HostIp?: string; HostPort?: string }[] | null>
  /** Ports of the image and the request. */
  exposedPorts: string[]
  publishAllPorts: boolean
  /** HostConfig.Dns…, ExtraHosts, Links. */
  dns: { servers: string[]; search: string[]; options: string[] }
}

export interface AttachedNetworks {
  /** What was given: addresses, gateway, MAC, ids. */
  endpoints: Record<string, EndpointSettings>
  ports: Record<string, { HostIp: string; HostPort: string }[] | null>
}

export interface Networking {
  /** Problems with what was asked for, all of them: addresses out of range or taken, bad MACs, sysctls. */
  check(endpoints: Record<string, EndpointSettings>, isTask?: boolean): Promise<string[]>
  /** The network's name and id for a name, id or id prefix; `default` and '' are `bridge`. Undefined: it is not there. */
  resolve(name: string): Promise<{ id: string; name: string } | undefined>
  /** Before a container starts: networks that others manage come to this machine, with addresses for it. */
  admit(container: Pick<NetworkedContainer, 'id' | 'name' | 'endpoints'>): Promise<void>
  /** Puts a created (not yet started) container on its networks. */
  attach(container: NetworkedContainer): Promise<AttachedNetworks>
  /** After its end: addresses are free again, rules and ports are gone. Safe to call twice. */
  detach(containerId: string): Promise<void>
  /** After a restart of the engine: containers that still run, with what they were given. Everything else of ours is swept. */
  restore(running: readonly (NetworkedContainer & AttachedNetworks)[]): Promise<void>
  /** The new name is found at once; what the endpoints are then (none: it is not on a network). */
  renamed(containerId: string, name: string): Record<string, EndpointSettings>
  /** The content of /etc/resolv.conf for a container that is about to start. */
  resolvConf(container: Omit<NetworkedContainer, 'pid'>): Promise<string>
  /** Per interface of a running container. */
  stats(containerId: string): Promise<Record<string, NetworkStats>>
}

export interface NetworkStats {
  rx_bytes: number
  rx_packets: number
  rx_errors: number
  rx_dropped: number
  tx_bytes: number
  tx_packets: number
  tx_errors: number
  tx_dropped: number
}

/** What networks need of containers: for inspect, connect, disconnect, remove and prune. */
export interface NetworkUsers {
  /** Of running and stopped containers, by network name. */
  containersOn(network: string): { id: string; name: string; running: boolean; endpoint: EndpointSettings }[]
  find(
    nameOrId: string,
  ): { id: string; name: string; running: boolean; pid: number /** HostConfig's. */; networkMode?: string } | undefined
  /** Remembers an endpoint of a container, or that it is gone; for a running one what was given. */
  setEndpoint(containerId: string, network: string, endpoint: EndpointSettings | undefined): Promise<void>
  networked(containerId: string): NetworkedContainer
}
