import { empty } from '@atoll/kernel/http/reply'
import { z } from 'zod'
import { defineRoute } from '../../callers.ts'
import { refusing } from '../../swarm/old-faults.ts'
import { versionQuery } from '../../swarm/versioned.ts'
import { filters } from '../query/schema.ts'
import { SecretSpec as ConfigSpec, Created, ObjectId } from '../secrets/schema.ts'
import { Config } from './schema.ts'
import type { Configs } from './service.ts'

export const configRoutes = (configs: Configs) => [
  defineRoute({
    method: 'GET',
    path: '/configs',
    auth: 'anyone',
    summary: 'List configs',
    query: z.object({ filters }),
    response: z.array(Config),
    handler: ({ query }) => configs.list(query.filters),
  }),
  defineRoute({
    method: 'POST',
    path: '/configs/create',
    auth: 'anyone',
    summary: 'Create a config',
    body: ConfigSpec,
    response: Created,
    status: 201,
    handler: async ({ body, ways }) => ({ ID: await refusing(ways, () => configs.create(body)) }),
  }),
  defineRoute({
    method: 'GET',
    path: '/configs/:id',
    auth: 'anyone',
    summary: 'Inspect a config',
    params: ObjectId,
    response: Config,
    handler: ({ params }) => configs.inspect(params.id),
  }),
  defineRoute({
    method: 'DELETE',
    path: '/configs/:id',
    auth: 'anyone',
    summary: 'Remove a config',
    params: ObjectId,
    response: 'bytes',
    handler: async ({ params, ways }) => {
      await refusing(ways, () => configs.remove(params.id))
      return empty()
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/configs/:id/update',
    auth: 'anyone',
    summary: 'Update the labels of a config',
    params: ObjectId,
    query: z.object({ version: versionQuery }),
    body: ConfigSpec,
    response: 'bytes',
    handler: async ({ params, query, body, ways }) => {
      await refusing(ways, () => configs.update(params.id, query.version, body))
      return empty(200)
    },
  }),
]
