import { bytes, empty } from '@atoll/kernel/http/reply'
import { z } from 'zod'
import { defineRoute } from '../../callers.ts'
import { filters } from '../query/schema.ts'
import { DiskUsage, Info, Version } from './schema.ts'
import type { System } from './service.ts'

const maxKinds = 16
const text = z.string().optional()
const kinds = z.union([z.string().transform((kind) => [kind]), z.array(z.string()).max(maxKinds)]).default([])
const notCached = { 'cache-control': 'no-cache, no-store, must-revalidate', pragma: 'no-cache' }

export const systemRoutes = (system: System) => [
  defineRoute({
    method: 'GET',
    path: '/_ping',
    auth: 'anyone',
    summary: 'See whether the engine answers',
    response: 'bytes',
    handler: ({ method }) => {
      const type = { 'content-type': 'text/plain; charset=utf-8' }
      const headers = { ...type, ...notCached, 'builder-version': system.builder, swarm: system.swarmState }
      return method === 'HEAD' ? empty(200, headers) : bytes('OK', headers)
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/version',
    auth: 'anyone',
    summary: 'Tell the version of the engine and its parts',
    response: Version,
    handler: () => system.version(),
  }),
  defineRoute({
    method: 'GET',
    path: '/info',
    auth: 'anyone',
    summary: 'Tell what the engine is, has and can do',
    response: Info,
    handler: () => system.info(),
  }),
  defineRoute({
    method: 'GET',
    path: '/events',
    auth: 'anyone',
    summary: 'Tell what happens, as it happens',
    query: z.object({ since: text, until: text, filters }),
    response: 'bytes',
    handler: ({ query, ways }) => bytes(system.events(query, ways), { 'content-type': 'application/json' }),
  }),
  defineRoute({
    method: 'GET',
    path: '/system/df',
    auth: 'anyone',
    summary: 'Tell what space is taken up',
    query: z.object({ type: kinds }),
    response: DiskUsage,
    handler: ({ query }) => system.usage(query.type),
  }),
]
