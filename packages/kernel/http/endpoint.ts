// A route made ready to serve: schemas sharpened once, and the way of a request through it.
import type { ZodType } from 'zod'
import { type BodyRules, bodyRules, readBody } from './body.ts'
import type { LiveExchange } from './exchange.ts'
import type { AnyCallers } from './host.ts'
import { parseQuery } from './query-string.ts'
import { Reply } from './reply.ts'
import type { IncomingFile, Route } from './route.ts'
import { sendResult } from './send-result.ts'
import { checkInput, nothing, strict } from './validation.ts'

/** Serves one request. */
export type Endpoint = (exchange: LiveExchange) => Promise<void>

export interface PreparedRoute {
  route: Route<AnyCallers>
  query: ZodType
  body: BodyRules
}

export function prepareRoute(route: Route<AnyCallers>): PreparedRoute {
  return { route, query: route.query === undefined ? nothing : strict(route.query), body: bodyRules(route.body) }
}

/** Who is calling, may they, what do they want; then the handler. */
export async function runRoute(exchange: LiveExchange, prepared: PreparedRoute): Promise<unknown> {
  const { service } = exchange.host
  const { route } = prepared
  const caller = await service.authenticate(exchange, route.auth)
  exchange.caller = caller
  if (service.admit !== undefined) exchange.addHeaders(await service.admit(caller, route))
  if (route.params !== undefined) {
    exchange.params = checkInput(route.params, exchange.params, 'path', service.errors)
  }
  if (route.query !== undefined || exchange.search !== '') {
    exchange.query = checkInput(prepared.query, parseQuery(exchange.search, service.errors), 'query', service.errors)
  } else exchange.query = {}
  const file = await readBody(exchange, prepared.body)
  return file === undefined ? route.handler(exchange) : handleFile(exchange, route, file)
}

/** The blob stays only if the handler succeeds. */
async function handleFile(exchange: LiveExchange, route: Route<AnyCallers>, file: IncomingFile): Promise<unknown> {
  try {
    const result = await route.handler(exchange)
    if (isRefusal(result)) await exchange.host.blobs.remove(file.blob.key)
    return result
  } catch (error) {
    await exchange.host.blobs.remove(file.blob.key)
    throw error
  }
}

const isRefusal = (result: unknown): boolean =>
  result instanceof Reply && 'status' in result.content && result.content.status >= 400

export function createEndpoint(route: Route<AnyCallers>): Endpoint {
  const prepared = prepareRoute(route)
  return async (exchange) => sendResult(exchange, route, await runRoute(exchange, prepared))
}
