// Binds fastify's router to node's HTTP server. Fastify finds the route (and speaks CORS); everything after that is
// ours, in the first hook it offers: callers are authenticated and admitted before a byte of their body is read.
import {
  createServer as createHttpServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerOptions,
} from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import type { Socket } from 'node:net'
import fastifyCors from '@fastify/cors'
import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from 'fastify'
import { onClientError } from './client-error.ts'
import { corsOptions, isPreflight } from './cors.ts'
import type { Endpoint } from './endpoint.ts'
import { type Headers, LiveExchange } from './exchange.ts'
import type { Host } from './host.ts'
import type { CorsOptions, ListenOptions } from './options.ts'
import { sendEmpty } from './send.ts'
import { fail } from './send-result.ts'

export interface ServerRoute {
  methods: string[]
  path: string
  endpoint: Endpoint
}

export interface ServerParts {
  host: Host
  tls: ListenOptions['tls']
  cors: CorsOptions | undefined
  routes: ServerRoute[]
  notFound: Endpoint
  shouldUpgrade(request: IncomingMessage): boolean
}

const maxHeaderBytes = 64 * 1024
const headersTimeoutMs = 60_000
const keepAliveTimeoutMs = 72_000

export async function createServer(parts: ServerParts): Promise<Server> {
  const { host } = parts
  const app = fastify({
    serverFactory: (handler) => nodeServer(parts, handler),
    genReqId: () => `req_${host.ids.hex()}`,
    clientErrorHandler: (error, socket) => onClientError(host, error, socket),
    frameworkErrors: (_error, request, reply) => accept(parts, request, reply, parts.notFound),
    exposeHeadRoutes: false,
    routerOptions: { maxParamLength: maxHeaderBytes, querystringParser: () => ({}) },
  })
  app.removeAllContentTypeParsers()
  if (parts.cors !== undefined) await speakCors(app, parts, parts.cors)
  for (const { methods, path, endpoint } of parts.routes) {
    const onRequest = (request: FastifyRequest, reply: FastifyReply) => {
      if (hasEmptyParam(request.params)) accept(parts, request, reply, parts.notFound)
      else accept(parts, request, reply, endpoint, path)
    }
    app.route({ method: methods, url: path, onRequest, handler: unreachable })
  }
  catchAll(app, parts)
  await app.ready()
  return app.server
}

/** The plugin sets the headers, and claims every OPTIONS; those are answered here, with our headers beside its own. */
async function speakCors(app: FastifyInstance, parts: ServerParts, cors: CorsOptions): Promise<void> {
  await app.register(fastifyCors, corsOptions(cors))
  app.addHook('onRequest', (request, reply, next) => {
    if (request.method === 'OPTIONS') accept(parts, request, reply, parts.notFound)
    else next()
  })
}

function catchAll(app: FastifyInstance, parts: ServerParts): void {
  app.setNotFoundHandler((request, reply) => accept(parts, request, reply, parts.notFound))
  // Fastify looks at the content type of requests that match no route, and may not like it.
  app.setErrorHandler((_error, request, reply) => accept(parts, request, reply, parts.notFound))
}

function nodeServer({ host, tls, shouldUpgrade }: ServerParts, handler: RequestListener): Server {
  const options: ServerOptions = {
    maxHeaderSize: maxHeaderBytes,
    headersTimeout: headersTimeoutMs,
    requestTimeout: 0, // A large upload may take long; a body that stops coming is noticed where it is read.
    keepAliveTimeout: keepAliveTimeoutMs,
    optimizeEmptyRequests: true, // Requests without a body skip the life of a stream nobody reads.
    requireHostHeader: false, // `accept` asks for it, with an error in the service's words.
    shouldUpgradeCallback: shouldUpgrade,
  }
  const server =
    tls === undefined ? createHttpServer(options, handler) : createHttpsServer({ ...options, ...tls }, handler)
  // Whoever asks for leave to send a body gets it when the body is wanted; other expectations are ignored.
  server.on('checkContinue', handler).on('checkExpectation', handler)
  server.on('connect', (_request, socket) => onClientError(host, new Error('No proxy'), socket as Socket))
  return server
}

function accept(
  { host, cors }: ServerParts,
  request: FastifyRequest,
  reply: FastifyReply,
  endpoint: Endpoint,
  pattern?: string,
): void {
  reply.hijack()
  const exchange = new LiveExchange(host, request.raw, reply.raw, request.id, pattern)
  exchange.params = request.params
  if (cors !== undefined) exchange.addHeaders(reply.getHeaders() as Headers)
  if (cors !== undefined && isPreflight(request.raw)) sendEmpty(exchange, 204, {})
  else if (request.raw.headers.host === undefined && request.raw.httpVersion === '1.1') {
    fail(exchange, host.service.errors.badRequest('The request has no Host header.'))
  } else endpoint(exchange).catch((error: unknown) => fail(exchange, error))
}

/** The router takes `/v1/files/` for a file without a name. */
function hasEmptyParam(params: unknown): boolean {
  for (const name in params as Record<string, string>) {
    if ((params as Record<string, string>)[name] === '') return true
  }
  return false
}

function unreachable(): never {
  throw new Error('The first hook answers every request.')
}
