// The address of whoever sent a request: of the connection, unless a trusted proxy says otherwise.
import type { RequestHead } from '@atoll/kernel/http/route'

const maxHops = 20

const plain = (address: string): string => address.trim().replace(/^::ffff:(?=\d+\.)/i, '')

/** The last one named by a proxy that is trusted; what a client writes there itself stands before it. */
export function clientAddress({ address, headers }: RequestHead, isTrusted: (address: string) => boolean): string {
  let known = plain(address)
  const { 'x-forwarded-for': forwarded } = headers
  if (forwarded === undefined || !isTrusted(known)) return known
  const hops = (Array.isArray(forwarded) ? forwarded.join(',') : forwarded).split(',').slice(-maxHops)
  for (const hop of hops.reverse()) {
    known = plain(hop)
    if (!isTrusted(known)) break
  }
  return known
}
