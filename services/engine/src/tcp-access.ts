// The engine over TCP, where no file permissions guard it. Whoever reaches it may do everything, except what a web page
// makes a browser on this machine do: that must not start containers.
import { isIP } from 'node:net'
import { hostname } from 'node:os'
import type { RequestHead } from '@atoll/kernel/http/route'
import type { HttpService } from '@atoll/kernel/http/service'
import type { EngineCallers } from './callers.ts'
import type { EngineConfig } from './config.ts'
import { forbidden } from './errors.ts'

type Access = Pick<EngineConfig, 'tcp' | 'tls' | 'hosts'>

/** What the operator, and whoever asks `docker info`, should know about it. */
export function tcpWarnings({ tcp, tls }: Access): string[] {
  const equals = 'Access to the API is equivalent to root access on this machine.'
  if (tcp === undefined) return []
  if (tls === undefined) return [`WARNING: API is accessible on http://${tcp} without encryption. ${equals}`]
  if (tls.ca !== undefined) return []
  return [`WARNING: API is accessible on https://${tcp} without TLS client verification. ${equals}`]
}

/** The same service, for a listener on TCP. */
export function guardTcp(service: HttpService<EngineCallers>, access: Access): HttpService<EngineCallers> {
  const names = [hostname(), hostOf(access.tcp ?? ''), ...access.hosts].map((name) => name.toLowerCase())
  // Clients call it by the same name all the time.
  let known: string | undefined
  return {
    ...service,
    async authenticate(head, auth) {
      refuseForeignPages(head)
      const { host } = head.headers
      // Over TLS, a browser that was led here by a foreign name finds a certificate of another name, and stops.
      if (!head.isEncrypted && host !== known) {
        refuseForeignName(host, names)
        known = host
      }
      return service.authenticate(head, auth)
    },
  }
}

/** Only browsers send these headers; a page of the engine's own address may call it. */
function refuseForeignPages({ headers }: RequestHead): void {
  const { origin, host } = headers
  const isForeign = origin !== undefined && originHost(origin) !== host?.toLowerCase()
  if (isForeign) throw forbidden(`web pages of ${origin} may not call this engine`)
  const site = headers['sec-fetch-site']
  if (site === 'cross-site' || site === 'same-site') throw forbidden('other web pages may not call this engine')
}

const originHost = (origin: string): string | undefined => (URL.canParse(origin) ? new URL(origin).host : undefined)

/** A page can make its own name point at this machine, and then call the engine as if that were its own server. */
function refuseForeignName(host: string | undefined, names: readonly string[]): void {
  if (host === undefined || isOurs(hostOf(host).toLowerCase(), names)) return
  throw forbidden(`this engine is not called ${hostOf(host)}; names that it may be called by are set in engine.hosts`)
}

/** Addresses, and names that nobody outside can have: of one word, or of a zone that is never public. */
const isOurs = (name: string, names: readonly string[]): boolean =>
  isIP(name) !== 0 || !name.includes('.') || /\.(localhost|internal)$/.test(name) || names.includes(name)

/** Without the port, and without what an IPv6 address wears beside one. */
const hostOf = (text: string): string =>
  text
    .replace(/:\d*$/, '')
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/\.$/, '')
