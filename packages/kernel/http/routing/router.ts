// Finds the route of a request.
import findMyWay, { type HTTPMethod } from 'find-my-way'
import type { Endpoint } from '../endpoint.ts'
import { hasNul } from '../validation/nul.ts'

export interface ServerRoute {
  methods: string[]
  path: string
  endpoint: Endpoint
}

export interface FoundRoute {
  route: ServerRoute
  params: Record<string, string | undefined>
}

/** As long as a request line may be: ids are the service's to judge. */
const maxParamLetters = 64 * 1024

export function createRouter(routes: readonly ServerRoute[]): (method: string, url: string) => FoundRoute | undefined {
  const router = findMyWay({ maxParamLength: maxParamLetters })
  for (const route of routes) router.on(route.methods as HTTPMethod[], route.path, unreachable, route)
  return (method, url) => {
    const found = router.find(method as HTTPMethod, url)
    if (found === null || hasUnusableParam(found.params)) return undefined
    return { route: found.store as ServerRoute, params: found.params }
  }
}

/** The router takes `/v1/files/` for a file without a name; and nothing is named with a NUL. */
function hasUnusableParam(params: FoundRoute['params']): boolean {
  for (const name in params) {
    const value = params[name]
    if (value === '' || (value !== undefined && hasNul(value))) return true
  }
  return false
}

function unreachable(): never {
  throw new Error('Routes are found here and run by the server.')
}
