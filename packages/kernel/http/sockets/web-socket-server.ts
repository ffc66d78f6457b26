// The WebSocket library's half of a route. It brings TLS and compression along, so it is loaded by whoever opens the
// first socket.
import type { IncomingMessage } from 'node:http'
import { WebSocketServer } from 'ws'
import type { AnyCallers } from '../route.ts'
import type { SocketRoute } from '../service.ts'

/** `headerLines` are what the answer to the handshake has besides: `name: value`. */
export function webSocketServer(
  route: Pick<SocketRoute<AnyCallers>, 'maxMessageBytes' | 'chooseProtocol'>,
  headerLines: (request: IncomingMessage) => string[],
): WebSocketServer {
  const server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: route.maxMessageBytes,
    handleProtocols: (offered) => route.chooseProtocol?.([...offered]) ?? false,
  })
  server.on('headers', (lines, request) => lines.push(...headerLines(request)))
  return server
}
