import { z } from 'zod'
import { defineRoute } from '../../callers.ts'
import { BdbCommand, BdbObject, BdbParams, CreateBdb, Endpoint, ShardObject, ShardParams, UpdateBdb } from './schema.ts'
import type { Databases } from './service.ts'

export const bdbRoutes = (databases: Databases) => [
  defineRoute({
    method: 'GET',
    path: '/v1/bdbs',
    auth: 'view_all_bdbs_info',
    summary: 'List databases',
    response: z.array(BdbObject),
    handler: () => databases.list(),
  }),
  defineRoute({
    method: 'POST',
    path: '/v1/bdbs',
    auth: 'create_bdb',
    summary: 'Create a database',
    body: CreateBdb,
    response: BdbObject,
    handler: ({ body }) => databases.create(body),
  }),
  defineRoute({
    method: 'GET',
    path: '/v1/bdbs/:uid',
    auth: 'view_bdb_info',
    summary: 'Get a database',
    params: BdbParams,
    response: BdbObject,
    handler: ({ params }) => databases.get(params.uid),
  }),
  defineRoute({
    method: 'PUT',
    path: '/v1/bdbs/:uid',
    auth: 'update_bdb',
    summary: 'Change a database',
    params: BdbParams,
    body: UpdateBdb,
    response: BdbObject,
    handler: ({ params, body }) => databases.update(params.uid, body),
  }),
  defineRoute({
    method: 'DELETE',
    path: '/v1/bdbs/:uid',
    auth: 'delete_bdb',
    summary: 'Delete a database with its data',
    params: BdbParams,
    response: z.object({}),
    handler: async ({ params }) => {
      await databases.remove(params.uid)
      return {}
    },
  }),
]

export const commandRoutes = (databases: Databases) => [
  defineRoute({
    method: 'POST',
    path: '/v1/bdbs/:uid/command',
    auth: 'update_bdb',
    summary: 'Run a command in a database, as its clients may',
    params: BdbParams,
    body: BdbCommand,
    response: z.object({ response: z.unknown() }),
    handler: async ({ params, body }) => ({ response: await databases.command(params.uid, body) }),
  }),
]

export const shardRoutes = (databases: Databases) => [
  defineRoute({
    method: 'GET',
    path: '/v1/bdbs/:uid/shards',
    auth: 'view_bdb_info',
    summary: 'List the shards of a database',
    params: BdbParams,
    response: z.array(ShardObject),
    handler: ({ params }) => databases.shardViews(params.uid),
  }),
  defineRoute({
    method: 'GET',
    path: '/v1/shards',
    auth: 'view_all_shard_stats',
    summary: 'List all shards',
    response: z.array(ShardObject),
    handler: () => databases.shardViews(),
  }),
  defineRoute({
    method: 'GET',
    path: '/v1/shards/:uid',
    auth: 'view_shard_stats',
    summary: 'Get a shard',
    params: ShardParams,
    response: ShardObject,
    handler: ({ params }) => databases.shardViewOf(params.uid),
  }),
  defineRoute({
    method: 'GET',
    path: '/v1/endpoints',
    auth: 'view_endpoint_stats',
    summary: 'List the endpoints of all databases',
    response: z.array(Endpoint),
    handler: () => databases.endpoints(),
  }),
]
