import { empty } from '@atoll/kernel/http/reply'
import { z } from 'zod'
import { defineRoute } from '../../callers.ts'
import { refusing } from '../../swarm/old-faults.ts'
import { versionQuery } from '../../swarm/versioned.ts'
import { filters, flag } from '../query/schema.ts'
import { Node, NodeId, NodeSpec } from './schema.ts'
import type { Nodes } from './service.ts'

export const nodeRoutes = (nodes: Nodes) => [
  defineRoute({
    method: 'GET',
    path: '/nodes',
    auth: 'anyone',
    summary: 'List nodes',
    query: z.object({ filters }),
    response: z.array(Node),
    handler: ({ query }) => nodes.list(query.filters),
  }),
  defineRoute({
    method: 'GET',
    path: '/nodes/:id',
    auth: 'anyone',
    summary: 'Inspect a node',
    params: NodeId,
    response: Node,
    handler: ({ params }) => nodes.inspect(params.id),
  }),
  defineRoute({
    method: 'DELETE',
    path: '/nodes/:id',
    auth: 'anyone',
    summary: 'Remove a node',
    params: NodeId,
    query: z.object({ force: flag }),
    response: 'bytes',
    handler: async ({ params, query }) => {
      await nodes.remove(params.id, query.force)
      return empty(200)
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/nodes/:id/update',
    auth: 'anyone',
    summary: 'Update a node',
    params: NodeId,
    query: z.object({ version: versionQuery }),
    body: NodeSpec,
    response: 'bytes',
    handler: async ({ params, query, body, ways }) => {
      await refusing(ways, () => nodes.update(params.id, query.version, body))
      return empty(200)
    },
  }),
]
