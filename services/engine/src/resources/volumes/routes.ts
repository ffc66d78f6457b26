import { empty } from '@atoll/kernel/http/reply'
import { z } from 'zod'
import { defineRoute } from '../../callers.ts'
import { versionQuery } from '../../swarm/versioned.ts'
import { filters, flag } from '../query/schema.ts'
import { CreateVolume, UpdateVolume, VolumeList, VolumeObject, VolumeParams, VolumesPruned } from './schema.ts'
import type { Volumes } from './service.ts'

export const volumeRoutes = (volumes: Volumes) => [
  defineRoute({
    method: 'GET',
    path: '/volumes',
    auth: 'anyone',
    summary: 'List volumes',
    query: z.object({ filters }),
    response: VolumeList,
    handler: ({ query }) => volumes.list(query.filters),
  }),
  defineRoute({
    method: 'POST',
    path: '/volumes/create',
    auth: 'anyone',
    summary: 'Create a volume',
    body: CreateVolume,
    response: VolumeObject,
    status: 201,
    handler: ({ body }) => volumes.create(body),
  }),
  defineRoute({
    method: 'GET',
    path: '/volumes/:name',
    auth: 'anyone',
    summary: 'Inspect a volume',
    params: VolumeParams,
    response: VolumeObject,
    handler: ({ params }) => volumes.inspect(params.name),
  }),
  defineRoute({
    method: 'PUT',
    path: '/volumes/:name',
    auth: 'anyone',
    summary: 'Update a volume of a cluster',
    params: VolumeParams,
    query: z.object({ version: versionQuery }),
    body: UpdateVolume,
    response: z.object({}),
    handler: async ({ params, query, body }) => {
      await volumes.updateClusterVolume(params.name, query.version, body.Spec)
      return {}
    },
  }),
  defineRoute({
    method: 'DELETE',
    path: '/volumes/:name',
    auth: 'anyone',
    summary: 'Remove a volume',
    params: VolumeParams,
    query: z.object({ force: flag }),
    response: 'bytes',
    handler: async ({ params, query }) => {
      await volumes.remove(params.name, query.force)
      return empty()
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/volumes/prune',
    auth: 'anyone',
    summary: 'Delete unused volumes',
    query: z.object({ filters }),
    response: VolumesPruned,
    handler: ({ query }) => volumes.prune(query.filters),
  }),
]
