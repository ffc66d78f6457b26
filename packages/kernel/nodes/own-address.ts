// Where the other nodes reach this one, by where it listens.
import { isIPv4 } from 'node:net'
import { networkInterfaces } from 'node:os'

const wildcards = new Set(['0.0.0.0', '[::]'])

/** `http://10.0.0.7:8080`. One that listens everywhere is reached by its first address that is not of this machine alone. */
export function ownAddress(listening: string): string {
  const url = new URL(listening)
  if (wildcards.has(url.hostname)) {
    const all = Object.values(networkInterfaces()).flatMap((some) => some ?? [])
    const outside = all.find(({ internal, address }) => !internal && isIPv4(address))
    url.hostname = outside?.address ?? '127.0.0.1'
  }
  return url.origin
}

/** Of one machine alone: for nodes of another it leads elsewhere. */
export const isLoopback = (address: string): boolean => /^https?:\/\/(127\.|\[::1\]|localhost[:/])/.test(`${address}/`)
