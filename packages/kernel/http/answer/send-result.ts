// Sends what a handler returned, or what it threw.
import type { HttpError } from '../error.ts'
import type { LiveExchange } from '../exchange.ts'
import type { Host } from '../host.ts'
import { Reply } from '../reply.ts'
import type { AnyCallers, Route } from '../route.ts'
import { readVersion, versionOf } from '../routing/request-version.ts'
import type { VersionedAnswer } from '../routing/versions.ts'
import { toHttpError } from './failure.ts'
import { sendBytes, sendEmpty, sendError, sendJson } from './send.ts'
import { sendEvents } from './sse.ts'

export function fail(exchange: LiveExchange, error: unknown): void {
  try {
    sendError(exchange, inVersion(exchange, toHttpError(error, exchange)))
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

/** A promise where the answer comes by and by. */
export function sendResult(
  exchange: LiveExchange,
  route: Route<AnyCallers>,
  result: unknown,
): Promise<void> | undefined {
  if (!(result instanceof Reply)) {
    checkResponse(exchange.host, route, result)
    if (exchange.clientLeft) return undefined
    const { status, value } = answerInVersion(exchange, route, { status: route.status, value: result })
    sendJson(exchange, status, value)
    return undefined
  }
  const { content } = result
  if (exchange.clientLeft && content.kind !== 'events' && content.kind !== 'bytes') return undefined
  switch (content.kind) {
    case 'json': {
      if (content.status < 300) checkResponse(exchange.host, route, content.value)
      const { status, value } = answerInVersion(exchange, route, content)
      sendJson(exchange, status, value, content.headers)
      return undefined
    }
    case 'empty':
      sendEmpty(exchange, content.status, content.headers)
      return undefined
    case 'bytes':
      sendBytes(exchange, content.status, content.body, content.headers)
      return undefined
    case 'events':
      return sendEvents(exchange, content.events, content.headers)
    case 'hijack':
      throw new Error(`Only a route with a 'raw' response can take the connection: ${route.method} ${route.path}`)
  }
}

function answerInVersion(exchange: LiveExchange, route: Route<AnyCallers>, answer: VersionedAnswer): VersionedAnswer {
  const version = versionOf(exchange)
  return version === undefined ? answer : (exchange.host.service.versions?.answer(route, version, answer) ?? answer)
}

function inVersion({ host, request }: LiveExchange, error: HttpError): HttpError {
  const version = readVersion(host, request)?.version
  return version ? (host.service.versions?.error(version, error) ?? error) : error
}

function checkResponse(host: Host, route: Route<AnyCallers>, value: unknown): void {
  if (!host.checkResponses || typeof route.response === 'string') return
  const result = route.response.safeParse(value)
  if (!result.success) throw new Error(`${route.method} ${route.path} answered against its schema: ${result.error}`)
}
