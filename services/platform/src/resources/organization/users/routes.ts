import { defineRoute } from '../../../callers.ts'
import { listOf } from '../../../conventions/lists.ts'
import { AdminPage } from '../admin-page.ts'
import { UserDeleted, UserObject, UserParams, UserUpdate } from './schema.ts'
import type { Users } from './service.ts'

export const userRoutes = (users: Users) => [
  defineRoute({
    method: 'GET',
    path: '/v1/organization/users',
    auth: 'admin',
    summary: 'List the users of the organization',
    query: AdminPage,
    response: listOf(UserObject),
    handler: (exchange) => users.list(exchange, exchange.query),
  }),
  defineRoute({
    method: 'GET',
    path: '/v1/organization/users/:user_id',
    auth: 'admin',
    summary: 'Retrieve a user of the organization',
    params: UserParams,
    response: UserObject,
    handler: (exchange) => users.get(exchange, exchange.params.user_id),
  }),
  defineRoute({
    method: 'POST',
    path: '/v1/organization/users/:user_id',
    auth: 'admin',
    summary: "Change a user's role in the organization",
    params: UserParams,
    body: UserUpdate,
    response: UserObject,
    handler: (exchange) => users.changeRole(exchange, exchange.params.user_id, exchange.body.role),
  }),
  defineRoute({
    method: 'DELETE',
    path: '/v1/organization/users/:user_id',
    auth: 'admin',
    summary: 'Remove a user from the organization',
    params: UserParams,
    response: UserDeleted,
    handler: (exchange) => users.remove(exchange, exchange.params.user_id),
  }),
]
