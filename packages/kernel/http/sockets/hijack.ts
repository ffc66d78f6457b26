// Raw routes: their connections stop speaking HTTP, with `Upgrade` or without. All knowledge of node's insides is in
// `claim`; after it, node itself lets go of the connection the way it does for any upgrade, and hands over every byte
// that followed the headers, so that nothing a client sends early is ever taken for another request.
import type { IncomingMessage, Server } from 'node:http'
import type { Socket } from 'node:net'
import { rawHead } from '../answer/raw-response.ts'
import { completeHeaders } from '../answer/response-head.ts'
import { fail, sendResult } from '../answer/send-result.ts'
import { type PreparedRoute, prepareRoute, runRoute } from '../endpoint.ts'
import type { Host } from '../host.ts'
import { Reply } from '../reply.ts'
import { compilePath, type PathMatcher, pathOf } from '../routing/path-pattern.ts'
import { readVersion } from '../routing/request-version.ts'
import { type DetachedConnection, detachedConnection } from './detached-connection.ts'

interface RawRoute {
  matches: PathMatcher
  prepared: PreparedRoute
}

export interface RawRoutes {
  matches(request: IncomingMessage): boolean
  /** Makes every connection of the server hand over requests of raw routes. */
  watch(server: Server): void
  take(request: IncomingMessage, socket: Socket, head: Buffer): Promise<void>
}

export function rawRoutes(host: Host): RawRoutes {
  const table = host.service.routes
    .filter(({ response }) => response === 'raw')
    .map(
      (route): RawRoute => ({
        matches: compilePath(route.path),
        prepared: prepareRoute(route, host.service.isLenient),
      }),
    )
  const methods = new Set<string | undefined>(table.map(({ prepared }) => prepared.route.method))
  const find = (request: IncomingMessage) => {
    if (!methods.has(request.method)) return undefined
    readVersion(host, request)
    const path = pathOf(request.url)
    return table.find(({ matches, prepared }) => prepared.route.method === request.method && matches(path))
  }
  return {
    matches: (request) => table.length > 0 && find(request) !== undefined,
    watch(server) {
      if (table.length === 0) return
      const isRaw = (request: IncomingMessage) => find(request) !== undefined
      server.on('connection', (socket: Socket) => claim(socket, isRaw))
      server.on('secureConnection', (socket: Socket) => claim(socket, isRaw))
    },
    async take(request, socket, head) {
      const raw = find(request)
      if (raw === undefined) return void socket.destroy()
      const connection = detachedConnection(host, request, socket, head, raw.prepared.route.path)
      connection.exchange.params = raw.matches(connection.exchange.path)
      await serve(connection, raw.prepared)
    },
  }
}

interface ParserOwner {
  parser?: { onIncoming: ((request: IncomingMessage, keepAlive: boolean) => number) | null } | null
}

/** Undocumented: the parser of a connection asks `onIncoming` what to do with a request; an upgrade is let go. */
function claim(socket: Socket, isRaw: (request: IncomingMessage) => boolean): void {
  const { parser } = socket as ParserOwner
  const onIncoming = parser?.onIncoming
  if (!parser || !onIncoming) return
  parser.onIncoming = (request, keepAlive) => {
    if (isRaw(request)) Object.assign(request, { upgrade: true })
    return onIncoming(request, keepAlive)
  }
}

async function serve(connection: DetachedConnection, prepared: PreparedRoute): Promise<void> {
  const { exchange } = connection
  try {
    const result = await runRoute(exchange, prepared)
    if (result instanceof Reply && result.content.kind === 'hijack') handOver(connection, result.content)
    else await sendResult(exchange, prepared.route, result)
  } catch (error) {
    fail(exchange, error)
  }
}

function handOver(
  connection: DetachedConnection,
  { take, headers }: { take(connection: Socket): void; headers: Record<string, string> },
): void {
  const { exchange, socket } = connection
  const asked = exchange.headers.upgrade
  const status = asked === undefined ? 200 : 101
  const upgrade: Record<string, string> = asked === undefined ? {} : { connection: 'Upgrade', upgrade: asked }
  const complete = { ...completeHeaders(exchange, headers), ...upgrade }
  connection.release(status, rawHead(status, complete))
  try {
    take(socket)
  } catch (error) {
    exchange.log.error({ error }, 'The taker of a connection failed')
    socket.destroy()
  }
}
