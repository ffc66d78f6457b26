// Where a sender puts its token.
import type { IncomingHttpHeaders } from 'node:http'

export interface Credential {
  token: string
  /** In the address: deprecated, since addresses end up in logs. */
  isInQuery: boolean
}

const bearer = /^bearer +(\S+) *$/i

/** A header beats the query; a Bearer beats `x-gateway-token` (HOOK-020 to HOOK-022). */
export function readCredential(
  headers: IncomingHttpHeaders,
  query: Readonly<Record<string, unknown>>,
  mayQuery: boolean,
): Credential | undefined {
  const inHeader = bearer.exec(headers.authorization ?? '')?.[1] ?? headers['x-gateway-token']
  if (typeof inHeader === 'string' && inHeader !== '') return { token: inHeader, isInQuery: false }
  const { token } = query
  if (!mayQuery || typeof token !== 'string' || token === '') return undefined
  return { token, isInQuery: true }
}
