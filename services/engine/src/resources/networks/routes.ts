import { empty } from '@atoll/kernel/http/reply'
import { z } from 'zod'
import { defineRoute } from '../../callers.ts'
import { filters, flag } from '../query/schema.ts'
import { ConnectNetwork, CreateNetwork, DisconnectNetwork, Network, NetworkCreated, NetworksPruned } from './schema.ts'
import type { Networks } from './service.ts'

const named = z.object({ id: z.string() })
const withFilters = z.object({ filters })

/** Older versions list the containers of every network; today's answers say them for one network only. ENG-453 */
export const listsContainers = 'networks-with-containers'

export const networkRoutes = (networks: Networks) => [...readingRoutes(networks), ...changingRoutes(networks)]

const readingRoutes = (networks: Networks) => [
  ...['/networks', '/networks/'].map((path) =>
    defineRoute({
      method: 'GET',
      path,
      auth: 'anyone',
      summary: 'List networks',
      query: withFilters,
      response: z.array(Network),
      handler: ({ query, ways }) => networks.list(query.filters, ways.has(listsContainers)),
    }),
  ),
  defineRoute({
    method: 'GET',
    path: '/networks/:id',
    auth: 'anyone',
    summary: 'Inspect a network',
    params: named,
    query: z.object({ verbose: flag, scope: z.string().optional() }),
    response: Network,
    handler: ({ params, query }) => networks.inspect(params.id, query),
  }),
]

const changingRoutes = (networks: Networks) => [
  defineRoute({
    method: 'DELETE',
    path: '/networks/:id',
    auth: 'anyone',
    summary: 'Remove a network',
    params: named,
    response: 'bytes',
    async handler({ params }) {
      await networks.remove(params.id)
      return empty()
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/networks/create',
    auth: 'anyone',
    summary: 'Create a network',
    body: CreateNetwork,
    response: NetworkCreated,
    status: 201,
    handler: ({ body }) => networks.create(body),
  }),
  defineRoute({
    method: 'POST',
    path: '/networks/:id/connect',
    auth: 'anyone',
    summary: 'Connect a container to a network',
    params: named,
    body: ConnectNetwork,
    response: 'bytes',
    async handler({ params, body }) {
      await networks.connect(params.id, body)
      return empty(200)
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/networks/:id/disconnect',
    auth: 'anyone',
    summary: 'Disconnect a container from a network',
    params: named,
    body: DisconnectNetwork,
    response: 'bytes',
    async handler({ params, body }) {
      await networks.disconnect(params.id, body)
      return empty(200)
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/networks/prune',
    auth: 'anyone',
    summary: 'Delete unused networks',
    query: withFilters,
    response: NetworksPruned,
    handler: async ({ query }) => ({ NetworksDeleted: await networks.prune(query.filters) }),
  }),
]
