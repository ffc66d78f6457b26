// A web page that a server has beside its service. Its files are a fixed table in memory: no path of a request ever
// reaches the file system.

import { sendBytes, sendText } from '../answer/send.ts'
import { fail } from '../answer/send-result.ts'
import type { Endpoint } from '../endpoint.ts'
import type { Headers } from '../exchange.ts'
import type { ServerRoute } from '../routing/router.ts'
import type { SiteFile, SiteFiles, StaticSite } from './site.ts'

/** The page runs and loads only what comes from here, and can be put into no other page. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  // Pictures and sounds that the page has fetched with its session.
  "img-src 'self' blob:",
  'media-src blob:',
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
].join('; ')

const always: Headers = {
  'content-security-policy': policy,
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
}
const forEver = { 'cache-control': 'public, max-age=31536000, immutable' }
const askAgain = { 'cache-control': 'no-cache' }
const text = { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' }

export function siteRoutes(site: StaticSite): ServerRoute[] {
  const files = loaded(site)
  const guarded =
    (endpoint: (exchange: Parameters<Endpoint>[0], files: SiteFiles) => void): Endpoint =>
    async (exchange) => {
      const { host } = exchange.headers
      if (!site.isOwnHost(host)) return sendText(exchange, 421, foreignHost, { ...always, ...text })
      const found = await files()
      if ('problem' in found) return sendText(exchange, 503, `${found.problem}\n`, { ...always, ...text })
      endpoint(exchange, found)
    }
  const page = guarded((exchange, { index }) => sendFile(exchange, index, askAgain))
  const asset = guarded((exchange, { assets }) => {
    const file = assets.get(String((exchange.params as { name?: string }).name))
    if (file === undefined) fail(exchange, exchange.host.service.errors.unknownUrl(exchange.method, exchange.path))
    else sendFile(exchange, file, forEver)
  })
  const get = (path: string, endpoint: Endpoint): ServerRoute => ({ methods: ['GET', 'HEAD'], path, endpoint })
  return [
    get(site.path, page),
    get(`${site.path}/`, page),
    get(`${site.path}/*`, page),
    get(`${site.path}/assets/:name`, asset),
  ]
}

const foreignHost =
  'This page is opened by an address of this server or by localhost. For another name, add it to platform.console.hosts.\n'

function loaded(site: StaticSite): StaticSite['load'] {
  let loading: ReturnType<StaticSite['load']> | undefined
  return async () => {
    loading ??= site.load()
    try {
      const found = await loading
      if ('problem' in found) loading = undefined
      return found
    } catch (error) {
      loading = undefined
      throw error
    }
  }
}

function sendFile(exchange: Parameters<Endpoint>[0], file: SiteFile, caching: Headers): void {
  const { body, contentType, gzip } = file
  const isPacked = gzip !== undefined && /\bgzip\b/.test(String(exchange.headers['accept-encoding'] ?? ''))
  const headers = { ...always, ...caching, 'content-type': contentType, vary: 'accept-encoding' }
  if (isPacked) sendBytes(exchange, 200, gzip, { ...headers, 'content-encoding': 'gzip' })
  else sendBytes(exchange, 200, body, headers)
}
