import { defineRoute } from '../callers.ts'
import { endedCookie, sessionCookie } from './cookie.ts'
import type { Operation } from './operation.ts'
import { ConsoleActivity, ConsoleServiceList, LoggedOut, LoginBody, SessionObject } from './schema.ts'
import { type Console, sessionLifetimeSeconds } from './service.ts'

export const consoleRoutes = (console: Console, operation: Operation, activity: () => Promise<ConsoleActivity>) => [
  defineRoute({
    method: 'POST',
    path: '/v1/console/login',
    auth: 'public',
    summary: 'Open a session of the console with an admin key, a key of a project or a one-time link',
    body: LoginBody,
    response: SessionObject,
    handler: async (exchange) => {
      const { session, token } = await console.logIn(exchange, exchange.body)
      exchange.setHeader('set-cookie', sessionCookie(token, sessionLifetimeSeconds, exchange.isEncrypted))
      return session
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/v1/console/session',
    auth: 'public',
    summary: 'Tell who is logged in to the console',
    response: SessionObject,
    handler: (exchange) => console.session(exchange),
  }),
  defineRoute({
    method: 'POST',
    path: '/v1/console/logout',
    auth: 'public',
    summary: 'End the session of the console',
    response: LoggedOut,
    handler: async (exchange) => {
      exchange.setHeader('set-cookie', endedCookie(exchange.isEncrypted))
      return console.logOut(exchange)
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/v1/console/services',
    auth: 'public',
    summary: 'List the other services of this machine that the console can steer',
    response: ConsoleServiceList,
    handler: (exchange) => operation.list(exchange),
  }),
  defineRoute({
    method: 'GET',
    path: '/v1/console/activity',
    auth: 'public',
    summary: 'Tell what was asked of this node in the last hour, and what room the machine has',
    response: ConsoleActivity,
    handler: async (exchange) => {
      await console.session(exchange)
      return activity()
    },
  }),
]
