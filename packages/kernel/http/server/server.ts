// Binds the router to node's HTTP server. Callers are authenticated and admitted before a byte of their body is read.
import type { IncomingMessage, RequestListener, Server, ServerOptions } from 'node:http'
import type { Socket } from 'node:net'
import { sendEmpty } from '../answer/send.ts'
import { fail } from '../answer/send-result.ts'
import type { Endpoint } from '../endpoint.ts'
import { LiveExchange } from '../exchange.ts'
import type { Host } from '../host.ts'
import type { CorsOptions, ListenOptions } from '../options.ts'
import { readVersion } from '../routing/request-version.ts'
import { createRouter, type ServerRoute } from '../routing/router.ts'
import { onClientError } from './client-error.ts'
import { corsHeaders, isPreflight } from './cors.ts'
import { http, loadHttps } from './node-http.ts'

export interface ServerParts {
  host: Host
  tls: ListenOptions['tls']
  cors: CorsOptions | undefined
  routes: readonly ServerRoute[]
  notFound: Endpoint
  shouldUpgrade(request: IncomingMessage): boolean
}

const maxHeaderBytes = 64 * 1024
const headersTimeoutMs = 60_000
const keepAliveTimeoutMs = 72_000

export function createServer(parts: ServerParts): Server {
  const { host, notFound } = parts
  const findRoute = createRouter(parts.routes)
  const crossOrigin = parts.cors === undefined ? undefined : corsHeaders(parts.cors)
  return nodeServer(parts, (request, response) => {
    const refused = readVersion(host, request)?.refused
    const found = refused === undefined ? findRoute(request.method ?? '', request.url ?? '') : undefined
    const exchange = new LiveExchange(host, request, response, `req_${host.ids.hex()}`, found?.route.path)
    exchange.params = found?.params
    if (crossOrigin !== undefined) exchange.addHeaders(crossOrigin(request))
    if (crossOrigin !== undefined && isPreflight(request)) sendEmpty(exchange, 204, {})
    else if (refused !== undefined) fail(exchange, refused)
    else if (request.httpVersion === '1.1' && hostCount(request) !== 1) {
      const many = request.headers.host === undefined ? 'no' : 'more than one'
      fail(exchange, host.service.errors.badRequest(`The request has ${many} Host header.`))
    } else run(exchange, found?.route.endpoint ?? notFound)
  })
}

/** Of several, those who read the request on its way may each have believed another one. */
function hostCount({ rawHeaders }: IncomingMessage): number {
  let count = 0
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]
    if (name?.length === 4 && name.toLowerCase() === 'host') count++
  }
  return count
}

function run(exchange: LiveExchange, endpoint: Endpoint): void {
  endpoint(exchange).catch((error: unknown) => fail(exchange, error))
}

/** As without TLS: a client that has said all it wants still hears the answer. */
const secureOptions = ({ ca }: NonNullable<ListenOptions['tls']>) => ({
  allowHalfOpen: true,
  requestCert: ca !== undefined,
})

function nodeServer({ host, tls, shouldUpgrade }: ServerParts, handler: RequestListener): Server {
  const options: ServerOptions = {
    maxHeaderSize: maxHeaderBytes,
    headersTimeout: headersTimeoutMs,
    requestTimeout: 0, // A large upload may take long; a body that stops coming is noticed where it is read.
    keepAliveTimeout: keepAliveTimeoutMs,
    optimizeEmptyRequests: true, // Requests without a body skip the life of a stream nobody reads.
    requireHostHeader: false, // Asked for above, with an error in the service's words.
    shouldUpgradeCallback: shouldUpgrade,
  }
  const server =
    tls === undefined
      ? http.createServer(options, handler)
      : loadHttps().createServer({ ...options, ...tls, ...secureOptions(tls) }, handler)
  // Whoever asks for leave to send a body gets it when the body is wanted; other expectations are ignored.
  server.on('checkContinue', handler).on('checkExpectation', handler)
  server.on('clientError', (error, socket) => onClientError(host, error, socket as Socket))
  server.on('connect', (_request, socket) => onClientError(host, new Error('No proxy'), socket as Socket))
  return server
}
