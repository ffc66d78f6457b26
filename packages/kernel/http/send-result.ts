// Sends what a handler returned, or what it threw.
import type { LiveExchange } from './exchange.ts'
import { toHttpError } from './failure.ts'
import type { AnyCallers, Host } from './host.ts'
import { Reply } from './reply.ts'
import type { Route } from './route.ts'
import { sendBytes, sendEmpty, sendError, sendJson } from './send.ts'
import { sendEvents } from './sse.ts'

export function fail(exchange: LiveExchange, error: unknown): void {
  try {
    sendError(exchange, toHttpError(error, exchange))
  } catch (unexpected) {
    failPlainly(exchange, unexpected)
  }
}

/** A header that cannot be sent must not come between the caller and the news. */
function failPlainly(exchange: LiveExchange, error: unknown): void {
  exchange.ownHeaders = undefined
  try {
    sendError(exchange, toHttpError(error, exchange))
  } catch (hopeless) {
    exchange.log.error({ error: hopeless }, 'An error could not be sent')
    exchange.request.socket.destroy()
  }
}

export async function sendResult(exchange: LiveExchange, route: Route<AnyCallers>, result: unknown): Promise<void> {
  if (!(result instanceof Reply)) {
    checkResponse(exchange.host, route, result)
    if (!exchange.clientLeft) sendJson(exchange, route.status, result)
    return
  }
  const { content } = result
  if (exchange.clientLeft && content.kind !== 'events' && content.kind !== 'bytes') return
  switch (content.kind) {
    case 'json':
      if (content.status < 300) checkResponse(exchange.host, route, content.value)
      return sendJson(exchange, content.status, content.value, content.headers)
    case 'empty':
      return sendEmpty(exchange, content.status, content.headers)
    case 'bytes':
      return sendBytes(exchange, content.status, content.body, content.headers)
    case 'events':
      return sendEvents(exchange, content.events, content.headers)
    case 'hijack':
      throw new Error(`Only a route with a 'raw' response can take the connection: ${route.method} ${route.path}`)
  }
}

function checkResponse(host: Host, route: Route<AnyCallers>, value: unknown): void {
  if (!host.checkResponses || typeof route.response === 'string') return
  const result = route.response.safeParse(value)
  if (!result.success) throw new Error(`${route.method} ${route.path} answered against its schema: ${result.error}`)
}
