// Kernel settings of the host that bridges need. They are written only when they differ.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'

const read = (path: string): string => readFileSync(`/proc/sys/net/${path}`, 'utf8').trim()

/** Tells whether it was something else. */
function set(path: string, value: string): boolean {
  if (read(path) === value) return false
  writeFileSync(`/proc/sys/net/${path}`, value)
  return true
}

export function hasIPv6(): boolean {
  try {
    return readFileSync('/proc/net/if_inet6', 'utf8') !== ''
  } catch {
    return false
  }
}

/**
 * Packets pass between interfaces, and ports published on the loopback address reach containers.
 * True when the host did not pass packets on before.
 */
export function prepareHost(bridge: string, withIPv6: boolean): boolean {
  const wasClosed = set('ipv4/ip_forward', '1')
  set(`ipv4/conf/${bridge}/route_localnet`, '1')
  if (!withIPv6) return wasClosed
  set(`ipv6/conf/${bridge}/disable_ipv6`, '0')
  set(`ipv6/conf/${bridge}/accept_ra`, '0')
  if (read('ipv6/conf/all/forwarding') === '1') return wasClosed
  keepRouterAdvertisements()
  set('ipv6/conf/all/forwarding', '1')
  return wasClosed
}

/** As it was before `prepareHost`. */
export const closeForwarding = (): boolean => set('ipv4/ip_forward', '0')

/** A host that forwards ignores the routers it learned from, unless told (2) to go on. */
function keepRouterAdvertisements(): void {
  for (const name of readdirSync('/proc/sys/net/ipv6/conf')) {
    if (read(`ipv6/conf/${name}/accept_ra`) === '1') set(`ipv6/conf/${name}/accept_ra`, '2')
  }
}

/** Changes with every start of the machine. */
export const bootId = (): string => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
