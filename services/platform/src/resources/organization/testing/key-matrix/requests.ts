// A request to every administration endpoint, made from its route and the objects it shall name.
import type { Route } from '@atoll/kernel/http/route'
import type { PlatformCallers } from '../../../../callers.ts'
import type { TestPlatform } from '../../../../testing/describe-platform.ts'
import type { Objects } from './objects.ts'

export type AdminRoute = Pick<Route<PlatformCallers>, 'method' | 'path' | 'body'>

export const nameOf = ({ method, path }: AdminRoute): string => `${method} ${path}`

const organization = '/v1/organization'
const project = `${organization}/projects/:project_id`

/** What is sent where a body is wanted. A route that is missing here fails the test that asks for all of them. */
const bodies: Record<string, (objects: Objects) => object> = {
  [`POST ${organization}/invites`]: ({ invite_id }) => ({ email: `for-${invite_id}@example.com`, role: 'member' }),
  [`POST ${organization}/users/:user_id`]: () => ({ role: 'reader' }),
  [`POST ${organization}/projects`]: () => ({ name: 'new' }),
  [`POST ${project}`]: () => ({ name: 'renamed' }),
  [`POST ${project}/users`]: ({ newcomer }) => ({ user_id: newcomer, role: 'member' }),
  [`POST ${project}/users/:user_id`]: () => ({ role: 'owner' }),
  [`POST ${project}/service_accounts`]: () => ({ name: 'bot' }),
  [`POST ${project}/service_accounts/:service_account_id`]: () => ({ name: 'bot' }),
  [`POST ${project}/rate_limits/:rate_limit_id`]: () => ({ max_requests_per_1_minute: 10 }),
  [`POST ${organization}/admin_api_keys`]: () => ({ name: 'new' }),
}

/** Of an administrator who may: nearly always 200. */
export const granted = (route: AdminRoute): number =>
  nameOf(route) === `POST ${organization}/audit_logs/deactivate` ? 400 : 200

const queryOf = (path: string): string => (/\/(usage|costs)\b/.test(path) ? '?start_time=1700000000&limit=1' : '')

export const parametersOf = ({ path }: AdminRoute): string[] =>
  [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => name)

/** Which object a parameter of this route means. */
const objectOf = (path: string, parameter: string, objects: Objects): string => {
  if (path.startsWith(`${organization}/admin_api_keys/`) && parameter === 'key_id') return objects.admin_key_id
  const id = objects[parameter as keyof Objects]
  if (id === undefined) throw new Error(`The matrix has no object for :${parameter} of ${path}.`)
  return id
}

export interface Answer {
  status: number
  text: string
}

export async function send(caller: TestPlatform, route: AdminRoute, objects: Objects): Promise<Answer> {
  const { method, path } = route
  const filled = path.replace(/:(\w+)/g, (_, parameter: string) =>
    encodeURIComponent(objectOf(path, parameter, objects)),
  )
  const body = bodies[nameOf(route)]
  if (route.body !== undefined && body === undefined) throw new Error(`The matrix has no body for ${nameOf(route)}.`)
  const response = await caller.request(method, filled + queryOf(path), {
    ...(body && { body: JSON.stringify(body(objects)), headers: { 'content-type': 'application/json' } }),
  })
  return { status: response.status, text: await response.text() }
}

/** The answer without the ids that were asked for, so that two answers can be compared. */
export function withoutIds({ status, text }: Answer, objects: Objects): string {
  const { organizationId: _, ...ids } = objects
  return Object.values(ids).reduce((left, id) => left.replaceAll(id, 'ID'), `${status} ${text}`)
}
