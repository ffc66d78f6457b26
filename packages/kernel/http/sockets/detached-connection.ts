// A connection whose request asks to leave HTTP. Node has let go of it; until the request is accepted it can still be
// answered like any other, through a response of our own.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { framedBody } from '../body/framed-body.ts'
import { LiveExchange } from '../exchange.ts'
import type { Host } from '../host.ts'
import { http } from '../server/node-http.ts'

/** How long a client may take to read a refusal and close. */
const lingerMs = 2000

export interface DetachedConnection {
  exchange: LiveExchange
  socket: Socket
  /** After this the socket's bytes are the taker's. `head` is what was sent by HTTP before, or null when others write it. */
  release(status: number, head: string | null): void
}

export function detachedConnection(
  host: Host,
  request: IncomingMessage,
  socket: Socket,
  head: Buffer,
  pattern: string,
): DetachedConnection {
  const response = new http.ServerResponse(request)
  response.shouldKeepAlive = false
  const onError = () => socket.destroy()
  socket.on('error', onError)
  socket.setTimeout(0)
  socket.setNoDelay(true)
  if (head.length > 0) socket.unshift(head)
  host.detached.add(socket)
  socket.once('close', () => host.detached.delete(socket))
  response.assignSocket(socket)
  response.on('finish', () => endRefused(response, socket))
  const exchange = new LiveExchange(host, request, response, `req_${host.ids.hex()}`, pattern)
  exchange.source = framedBody(socket, request.headers)
  return {
    exchange,
    socket,
    release(status, text) {
      response.detachSocket(socket)
      exchange.handOver(status, socket)
      if (text !== null) socket.write(text)
    },
  }
}

/** Reads on for a moment: closing with bytes unread would reset the connection, and the answer would be lost. */
function endRefused(response: ServerResponse, socket: Socket): void {
  response.detachSocket(socket)
  response.emit('close')
  socket.end()
  socket.resume()
  const timer = setTimeout(() => socket.destroy(), lingerMs)
  socket.once('end', () => socket.destroy())
  socket.once('close', () => clearTimeout(timer))
}
