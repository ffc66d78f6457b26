// Puts interfaces into a container, with their addresses, and the way out; and takes one out again.
import { addWire, applySysctls, defaultRoutes, runIp, runIpInside, setUpInside } from './links.ts'
import type { LiveEndpoint } from './live-network.ts'
import { isVlan } from './vlan-options.ts'
import { addVlan, removeVlan } from './vlans.ts'

const isOnVlan = ({ network }: LiveEndpoint): boolean => isVlan(network.record.driver)

export async function wire(
  endpoints: readonly LiveEndpoint[],
  pid: number,
  { wayOut, markOf }: { wayOut: LiveEndpoint | undefined; markOf(name: string): string },
): Promise<void> {
  if (endpoints.length === 0) return
  await runIp(
    endpoints.flatMap((endpoint) =>
      isOnVlan(endpoint) ? [addVlan(endpoint, pid)] : addWire(endpoint, pid, markOf(endpoint.link)),
    ),
  )
  const routes = wayOut === undefined ? [] : defaultRoutes(wayOut)
  await runIpInside(pid, ['link set dev lo up', ...endpoints.flatMap(setUpInside), ...routes])
  await applySysctls(endpoints, pid)
}

/** From a container that goes on. */
export const unwire = (
  endpoint: LiveEndpoint,
  pid: number,
  removeLinks: (names: readonly string[]) => Promise<void>,
): Promise<void> => (isOnVlan(endpoint) ? removeVlan(endpoint, pid) : removeLinks([endpoint.link]))

/** Unlike Promise.all it waits for all of them, also when one fails: what they did can then be undone. */
export async function allDone(works: readonly Promise<void>[]): Promise<void> {
  const results = await Promise.allSettled(works)
  for (const result of results) if (result.status === 'rejected') throw result.reason
}
