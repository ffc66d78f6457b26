// WebSocket routes: the caller is known and the query checked before the connection is upgraded.

import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { WebSocket, WebSocketServer } from 'ws'
import type { ZodType } from 'zod'
import { completeHeaders } from '../answer/response-head.ts'
import { fail } from '../answer/send-result.ts'
import type { Headers, LiveExchange } from '../exchange.ts'
import type { Host } from '../host.ts'
import type { AnyCallers } from '../route.ts'
import { compilePath, type PathMatcher, pathOf } from '../routing/path-pattern.ts'
import { parseQuery } from '../routing/query-string.ts'
import { readVersion, versionOf } from '../routing/request-version.ts'
import type { SocketContext, SocketRoute } from '../service.ts'
import { checkInput, nothing, strict, tolerant } from '../validation/validation.ts'
import { detachedConnection } from './detached-connection.ts'
import { Heartbeat } from './heartbeat.ts'

const goingAway = 1001
const internalError = 1011

interface PreparedSocket {
  route: SocketRoute<AnyCallers>
  matches: PathMatcher
  query: ZodType
  /** Of the library, which the first caller waits for. */
  server(): Promise<WebSocketServer>
}

export interface SocketRoutes {
  matches(request: IncomingMessage): boolean
  take(request: IncomingMessage, socket: Socket, head: Buffer): Promise<void>
}

export function socketRoutes(host: Host): SocketRoutes {
  const open = new Map<IncomingMessage, LiveExchange>()
  const table = (host.service.sockets ?? []).map((route) => prepare(route, open, host.service.isLenient))
  const find = (request: IncomingMessage) => {
    readVersion(host, request)
    return table.find(({ matches }) => matches(pathOf(request.url)))
  }
  const heartbeat = new Heartbeat(host.timeouts.pingMs)
  host.onClosing.push(() => heartbeat.closeAll(goingAway, 'The server is shutting down.'))
  return {
    matches: (request) =>
      request.method === 'GET' && request.headers.upgrade?.toLowerCase() === 'websocket' && find(request) !== undefined,
    async take(request, socket, head) {
      const prepared = find(request)
      if (prepared === undefined) return void socket.destroy()
      const connection = detachedConnection(host, request, socket, Buffer.alloc(0), prepared.route.path)
      const { exchange } = connection
      exchange.params = prepared.matches(exchange.path)
      try {
        await admit(exchange, prepared)
        const server = await prepared.server()
        if (socket.destroyed) throw new Error('The client left')
        open.set(request, exchange)
        connection.release(101, null)
        server.handleUpgrade(request, socket, head, (peer) => start(peer, exchange, prepared, heartbeat))
      } catch (error) {
        fail(exchange, error)
      } finally {
        open.delete(request)
      }
    },
  }
}

async function admit(exchange: LiveExchange, { route, query }: PreparedSocket): Promise<void> {
  const { service } = exchange.host
  exchange.caller = await service.authenticate(exchange, route.auth)
  versionOf(exchange)
  exchange.query = checkInput(query, parseQuery(exchange.search, service.errors), 'query', service.errors)
  const { upgrade, 'sec-websocket-key': key, 'sec-websocket-version': version } = exchange.headers
  const isSound =
    upgrade !== undefined && /^[+/0-9A-Za-z]{22}==$/.test(key ?? '') && (version === '13' || version === '8')
  if (!isSound) throw service.errors.badRequest('The WebSocket handshake is not valid.')
  await route.admit?.(contextOf(exchange))
}

function prepare(
  route: SocketRoute<AnyCallers>,
  open: Map<IncomingMessage, LiveExchange>,
  isLenient = false,
): PreparedSocket {
  const headerLines = (request: IncomingMessage): string[] => {
    const exchange = open.get(request)
    return exchange === undefined ? [] : asLines(completeHeaders(exchange, {}))
  }
  let made: Promise<WebSocketServer> | undefined
  const server = () => {
    made ??= import('./web-socket-server.ts').then(({ webSocketServer }) => webSocketServer(route, headerLines))
    return made
  }
  const asked = route.query ?? nothing
  const query = isLenient ? tolerant(asked) : strict(asked)
  return { route, matches: compilePath(route.path), query, server }
}

function contextOf(exchange: LiveExchange): SocketContext {
  const { id, method, path, headers, address, isEncrypted, caller, query, log, ways } = exchange
  const params = exchange.params as Record<string, string>
  return { id, method, path, headers, address, isEncrypted, caller, params, query, log, ways }
}

const asLines = (headers: Headers): string[] =>
  Object.entries(headers).map(([name, value]) => `${name}: ${value.replace(/[\r\n]+/g, ' ')}`)

function start(peer: WebSocket, exchange: LiveExchange, { route }: PreparedSocket, heartbeat: Heartbeat): void {
  heartbeat.add(peer)
  peer.on('error', (error) => exchange.log.info({ error }, 'A WebSocket failed'))
  try {
    route.open(peer, contextOf(exchange))
  } catch (error) {
    exchange.log.error({ error }, 'A WebSocket route failed')
    peer.close(internalError)
  }
}
