// Guards against DNS rebinding: a page of another site whose name was made to lead to this server. Its requests name
// that site as their host.
import { isIP } from 'node:net'

export type HostRule = (host: string | undefined) => boolean

const shape = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(:\d{1,5})?$/i

/**
 * Loopback names, the names given, and addresses: whoever put an address into the address bar has reached the server
 * there, since no name was looked up that could lead elsewhere.
 */
export function ownHosts(names: readonly string[] = []): HostRule {
  const own = new Set(['localhost', ...names.map((name) => name.toLowerCase())])
  return (host) => {
    if (host === undefined || !shape.test(host) || !URL.canParse(`http://${host}`)) return false
    const name = new URL(`http://${host}`).hostname.replace(/\.$/, '')
    return own.has(name) || name.endsWith('.localhost') || isIP(name.replace(/^\[|\]$/g, '')) !== 0
  }
}
