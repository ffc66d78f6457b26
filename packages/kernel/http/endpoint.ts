// A route made ready to serve: schemas sharpened once, and the way of a request through it.
import type { ZodType } from 'zod'
import { sendResult } from './answer/send-result.ts'
import { type BodyRules, bodyRules, isWithoutBody, readBody } from './body/body.ts'
import type { LiveExchange } from './exchange.ts'
import { Reply } from './reply.ts'
import type { AnyCallers, IncomingFile, Route } from './route.ts'
import { parseQuery } from './routing/query-string.ts'
import { versionOf } from './routing/request-version.ts'
import { checkInput, nothing, strict, tolerant } from './validation/validation.ts'

/** Serves one request. */
export type Endpoint = (exchange: LiveExchange) => Promise<void>

export interface PreparedRoute {
  route: Route<AnyCallers>
  query: ZodType
  /** Whether there is nothing to check, and nothing to fill in, where no parameters are given. Known after the first. */
  mayLackQuery?: boolean
  body: BodyRules
}

export function prepareRoute(route: Route<AnyCallers>, isLenient = false): PreparedRoute {
  const query = route.query ?? nothing
  return { route, query: isLenient ? tolerant(query) : strict(query), body: bodyRules(route.body) }
}

function mayLackQuery(prepared: PreparedRoute): boolean {
  prepared.mayLackQuery ??= isEmpty(prepared.query.safeParse({}).data)
  return prepared.mayLackQuery
}

const isEmpty = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && Object.keys(value).length === 0

/** Who is calling, may they, what do they want; then the handler. */
export async function runRoute(exchange: LiveExchange, prepared: PreparedRoute): Promise<unknown> {
  const caller = exchange.host.service.authenticate(exchange, prepared.route.auth)
  exchange.caller = caller instanceof Promise ? await caller : caller
  return await runAuthenticated(exchange, prepared)
}

async function runAuthenticated(exchange: LiveExchange, prepared: PreparedRoute): Promise<unknown> {
  const { service } = exchange.host
  const { route } = prepared
  const version = versionOf(exchange)
  if (version !== undefined) service.versions?.admit(route, version)
  if (service.admit !== undefined) {
    const headers = service.admit(exchange.caller, route)
    exchange.addHeaders(headers instanceof Promise ? await headers : headers)
  }
  if (route.params !== undefined) {
    exchange.params = checkInput(route.params, exchange.params, 'path', service.errors)
  }
  if (exchange.search === '' && (route.query === undefined || (version === undefined && mayLackQuery(prepared)))) {
    exchange.query = {}
  } else exchange.query = checkInput(prepared.query, askedQuery(exchange, route), 'query', service.errors)
  if (isWithoutBody(exchange, prepared.body)) return await route.handler(exchange)
  const files = await readBody(exchange, prepared)
  return await (files === undefined ? route.handler(exchange) : handleFiles(exchange, route, files))
}

function askedQuery(exchange: LiveExchange, route: Route<AnyCallers>): unknown {
  const { errors, versions } = exchange.host.service
  const query = parseQuery(exchange.search, errors)
  const version = versionOf(exchange)
  return version === undefined ? query : versions?.query(route, version, query)
}

/** The blobs stay only if the handler succeeds. */
async function handleFiles(exchange: LiveExchange, route: Route<AnyCallers>, files: IncomingFile[]): Promise<unknown> {
  const discard = async (): Promise<void> => {
    for (const { blob } of files) await exchange.host.blobs.remove(blob.key)
  }
  try {
    const result = await route.handler(exchange)
    if (isRefusal(result)) await discard()
    return result
  } catch (error) {
    await discard()
    throw error
  }
}

const isRefusal = (result: unknown): boolean =>
  result instanceof Reply && 'status' in result.content && result.content.status >= 400

/** Of one route, or of several that are variants of each other. */
export function createEndpoint(
  routes: readonly [Route<AnyCallers>, ...Route<AnyCallers>[]],
  isLenient?: boolean,
): Endpoint {
  const [first, ...others] = routes
  if (first.variant !== undefined) return createVariantEndpoint(routes)
  if (others.length > 0) throw new Error(`Two routes without variants: ${first.method} ${first.path}`)
  const prepared = prepareRoute(first, isLenient)
  return async (exchange) => {
    await sendResult(exchange, first, await runRoute(exchange, prepared))
  }
}

function createVariantEndpoint(routes: readonly [Route<AnyCallers>, ...Route<AnyCallers>[]]): Endpoint {
  const [first] = routes
  const byVariant = new Map(routes.map((route) => [route.variant ?? '', prepareRoute(route)]))
  const place = `${first.method} ${first.path}`
  if (byVariant.size < routes.length || byVariant.has('')) throw new Error(`Variants that are alike: ${place}`)
  if (routes.some(({ auth }) => auth !== first.auth)) throw new Error(`Variants for different callers: ${place}`)
  const variants = [...byVariant.keys()]
  return async (exchange) => {
    const caller = exchange.host.service.authenticate(exchange, first.auth)
    exchange.caller = caller instanceof Promise ? await caller : caller
    const prepared = byVariant.get(exchange.host.service.chooseVariant?.(exchange, variants) ?? '')
    if (prepared === undefined) throw new Error(`The service chose no variant of ${place}`)
    await sendResult(exchange, prepared.route, await runAuthenticated(exchange, prepared))
  }
}
