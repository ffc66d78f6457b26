import { empty } from '@atoll/kernel/http/reply'
import { z } from 'zod'
import { defineRoute } from '../../callers.ts'
import { AuthorizeBody, CreateUser, RefreshBody, TokenObject, UpdateUser, UserObject, UserParams } from './schema.ts'
import type { Users } from './service.ts'
import type { Sessions } from './sessions.ts'

export const userRoutes = (users: Users, sessions: Sessions) => [
  defineRoute({
    method: 'POST',
    path: '/v1/users/authorize',
    auth: 'anyone',
    summary: 'Log in: get a token for a while',
    body: AuthorizeBody,
    response: TokenObject,
    handler: (exchange) => sessions.authorize(exchange, exchange.body),
  }),
  defineRoute({
    method: 'POST',
    path: '/v1/users/refresh_jwt',
    auth: 'any_user',
    summary: 'Get a new token for one that still holds',
    body: RefreshBody,
    response: TokenObject,
    handler: (exchange) => sessions.refresh(exchange, exchange.caller, exchange.body.ttl),
  }),
  defineRoute({
    method: 'GET',
    path: '/v1/users',
    auth: 'view_all_users_info',
    summary: 'List users',
    response: z.array(UserObject),
    handler: () => users.list(),
  }),
  defineRoute({
    method: 'POST',
    path: '/v1/users',
    auth: 'create_new_user',
    summary: 'Create a user',
    body: CreateUser,
    response: UserObject,
    handler: ({ caller, body }) => users.create(caller, body),
  }),
  defineRoute({
    method: 'GET',
    path: '/v1/users/:uid',
    auth: 'any_user',
    summary: 'Get a user',
    params: UserParams,
    response: UserObject,
    handler: ({ caller, params }) => users.get(caller, params.uid),
  }),
  defineRoute({
    method: 'PUT',
    path: '/v1/users/:uid',
    auth: 'any_user',
    summary: 'Change a user',
    params: UserParams,
    body: UpdateUser,
    response: UserObject,
    handler: ({ caller, params, body }) => users.update(caller, params.uid, body),
  }),
  defineRoute({
    method: 'DELETE',
    path: '/v1/users/:uid',
    auth: 'delete_user',
    summary: 'Delete a user',
    params: UserParams,
    response: 'bytes',
    handler: async ({ caller, params }) => {
      await users.remove(caller, params.uid)
      return empty(200)
    },
  }),
]
