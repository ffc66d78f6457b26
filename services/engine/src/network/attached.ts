// A running container and the networks it is on.
import { forbidden } from '../errors.ts'
import type { LiveEndpoint } from './live-network.ts'
import { isBridged, type NetworkRecord } from './network-record.ts'
import type { NetworkedContainer } from './networking.ts'

export interface Attached {
  container: NetworkedContainer
  /** Where it has addresses of its own; the order is that of the request. */
  endpoints: LiveEndpoint[]
}

export const isWayOut = ({ network }: LiveEndpoint): boolean => !network.isInternal

/** Ports of the host can lead there. */
export const isPublishing = (endpoint: LiveEndpoint): boolean =>
  isWayOut(endpoint) && isBridged(endpoint.network.record.driver)

export const isOn = ({ container, endpoints }: Attached, record: NetworkRecord): boolean =>
  record.name in container.endpoints || endpoints.some(({ network }) => network.record.id === record.id)

export const isOnAlready = (container: string, network: string) =>
  forbidden(`endpoint with name ${container} already exists in network ${network}`)

/** `eth0`, `eth1`, …: the first that is not used. */
export function freeInterfaceName(prefix: string, used: readonly string[]): string {
  let index = 0
  while (used.includes(`${prefix}${index}`)) index++
  return `${prefix}${index}`
}
