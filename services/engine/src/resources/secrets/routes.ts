import { empty } from '@atoll/kernel/http/reply'
import { z } from 'zod'
import { defineRoute } from '../../callers.ts'
import { refusing } from '../../swarm/old-faults.ts'
import { versionQuery } from '../../swarm/versioned.ts'
import { filters } from '../query/schema.ts'
import { Created, ObjectId, Secret, SecretSpec } from './schema.ts'
import type { Secrets } from './service.ts'

export const secretRoutes = (secrets: Secrets) => [
  defineRoute({
    method: 'GET',
    path: '/secrets',
    auth: 'anyone',
    summary: 'List secrets',
    query: z.object({ filters }),
    response: z.array(Secret),
    handler: ({ query }) => secrets.list(query.filters),
  }),
  defineRoute({
    method: 'POST',
    path: '/secrets/create',
    auth: 'anyone',
    summary: 'Create a secret',
    body: SecretSpec,
    response: Created,
    status: 201,
    handler: async ({ body, ways }) => ({ ID: await refusing(ways, () => secrets.create(body)) }),
  }),
  defineRoute({
    method: 'GET',
    path: '/secrets/:id',
    auth: 'anyone',
    summary: 'Inspect a secret',
    params: ObjectId,
    response: Secret,
    handler: ({ params }) => secrets.inspect(params.id),
  }),
  defineRoute({
    method: 'DELETE',
    path: '/secrets/:id',
    auth: 'anyone',
    summary: 'Remove a secret',
    params: ObjectId,
    response: 'bytes',
    handler: async ({ params, ways }) => {
      await refusing(ways, () => secrets.remove(params.id))
      return empty()
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/secrets/:id/update',
    auth: 'anyone',
    summary: 'Update the labels of a secret',
    params: ObjectId,
    query: z.object({ version: versionQuery }),
    body: SecretSpec,
    response: 'bytes',
    handler: async ({ params, query, body, ways }) => {
      await refusing(ways, () => secrets.update(params.id, query.version, body))
      return empty(200)
    },
  }),
]
