// The headers of every response of a server are put together here, so that none leaves without them.
import type { Headers, LiveExchange } from '../exchange.ts'

export function writeHead(exchange: LiveExchange, status: number, headers: Headers): void {
  exchange.response.writeHead(status, completeHeaders(exchange, headers))
}

/** The headers of a response: the request id, the service's, those set on the way, and its own. */
export function completeHeaders(exchange: LiveExchange, headers: Headers): Headers {
  const { host } = exchange
  const complete: Headers = { 'x-request-id': exchange.id }
  if (host.closing) complete.connection = 'close'
  if (exchange.ownHeaders !== undefined) Object.assign(complete, exchange.ownHeaders)
  if (host.service.responseHeaders !== undefined) {
    const { caller, elapsedMs } = exchange
    Object.assign(complete, host.service.responseHeaders({ head: exchange, caller, elapsedMs }))
  }
  return Object.assign(complete, headers)
}
