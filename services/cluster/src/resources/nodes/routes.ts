import { z } from 'zod'
import { defineRoute } from '../../callers.ts'
import { NodeObject, NodeParams } from './schema.ts'
import type { Nodes } from './service.ts'

export const nodeRoutes = (nodes: Nodes) => [
  defineRoute({
    method: 'GET',
    path: '/v1/nodes',
    auth: 'view_all_nodes_info',
    summary: 'List nodes',
    response: z.array(NodeObject),
    handler: () => nodes.list(),
  }),
  defineRoute({
    method: 'GET',
    path: '/v1/nodes/:uid',
    auth: 'view_node_info',
    summary: 'Get a node',
    params: NodeParams,
    response: NodeObject,
    handler: ({ params }) => nodes.get(params.uid),
  }),
]
