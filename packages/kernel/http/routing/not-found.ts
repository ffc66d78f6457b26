// Paths nobody knows, and known paths asked with a method they do not have.

import { fail } from '../answer/send-result.ts'
import type { Endpoint } from '../endpoint.ts'
import { compilePath } from './path-pattern.ts'

export interface KnownPath {
  method: string
  path: string
}

export function notFoundEndpoint(known: readonly KnownPath[]): Endpoint {
  const methods = Map.groupBy(known, ({ path }) => path)
  const table = [...methods].map(([path, routes]) => ({
    matches: compilePath(path),
    methods: routes.map(({ method }) => method),
  }))
  return async (exchange) => {
    const { method, path, host } = exchange
    const { errors } = host.service
    const allowed = [...new Set(table.filter(({ matches }) => matches(path)).flatMap((entry) => entry.methods))]
    if (allowed.length === 0) return fail(exchange, errors.unknownUrl(method, path))
    exchange.addHeaders({ allow: allowed.join(', ') })
    if (allowed.includes(method))
      return fail(
        exchange,
        errors.badRequest('This address takes a connection over; ask for an upgrade, on a connection of its own.'),
      )
    fail(exchange, errors.methodNotAllowed(method, path, allowed))
  }
}
