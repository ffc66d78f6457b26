// Plugins: there are none, and none can be had yet.
import type { Route } from '@atoll/kernel/http/route'
import { z } from 'zod'
import { defineRoute, type EngineCallers } from '../../callers.ts'
import { notFound, notImplemented } from '../../errors.ts'
import type { RouteName } from '../../versions/change.ts'
import { filters } from '../query/schema.ts'
import { refusedRoute } from '../refused-route.ts'

const installing: RouteName[] = ['GET /plugins/privileges', 'POST /plugins/pull', 'POST /plugins/create']
const changing = ['enable', 'disable', 'upgrade', 'push', 'set'] as const

const cannot = () =>
  notImplemented('Plugins are not part of this engine: its volume, network and log drivers are built in')

export const pluginRoutes = (): Route<EngineCallers>[] => [
  defineRoute({
    method: 'GET',
    path: '/plugins',
    auth: 'anyone',
    summary: 'List plugins',
    query: z.object({ filters }),
    response: z.array(z.never()),
    handler: () => [],
  }),
  ...installing.map((name) => refusedRoute(name, 'Install a plugin', cannot)),
  ofOne('GET', '/json'),
  ofOne('DELETE', ''),
  ...changing.map((action) => ofOne('POST', `/${action}`)),
]

/** Whichever plugin it is, it is not here. */
const ofOne = (method: 'GET' | 'POST' | 'DELETE', action: string): Route<EngineCallers> =>
  defineRoute({
    method,
    path: `/plugins/:name${action}`,
    auth: 'anyone',
    summary: 'About one plugin',
    params: z.object({ name: z.string() }),
    body: method === 'POST' ? 'stream' : undefined,
    response: 'bytes',
    handler: ({ params }) => {
      throw notFound(`plugin "${params.name}" not found`)
    },
  })
