import { bytes, empty } from '@atoll/kernel/http/reply'
import type { Route } from '@atoll/kernel/http/route'
import { z } from 'zod'
import { defineRoute, type EngineCallers } from '../../../callers.ts'
import { flag } from '../../query/schema.ts'
import * as schema from './schema.ts'
import { type ArchiveParts, copyOut, putIn, readOut } from './service.ts'

const path = z.string().default('')
const tar = 'application/x-tar'

export const archiveRoutes = (parts: ArchiveParts): Route<EngineCallers>[] => [
  defineRoute({
    method: 'GET',
    path: '/containers/:id/archive',
    auth: 'anyone',
    summary: 'Files of a container as a tar; HEAD tells about one path',
    params: schema.ContainerName,
    query: z.object({ path }),
    response: 'bytes',
    async handler({ method, params, query }) {
      const { stat, open } = await readOut(parts, params.id, query.path)
      const headers = { 'x-docker-container-path-stat': stat, 'content-type': tar }
      return method === 'HEAD' ? empty(200, headers) : bytes(await open(), headers)
    },
  }),
  defineRoute({
    method: 'PUT',
    path: '/containers/:id/archive',
    auth: 'anyone',
    summary: 'Unpack a tar into a folder of a container',
    params: schema.ContainerName,
    query: z.object({ path, noOverwriteDirNonDir: flag, copyUIDGID: flag }),
    body: 'stream',
    response: 'bytes',
    async handler({ params, query, body }) {
      const { noOverwriteDirNonDir, copyUIDGID: copyUidGid } = query
      await putIn(parts, params.id, query.path, body, { noOverwriteDirNonDir, copyUidGid })
      return empty(200)
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/containers/:id/copy',
    auth: 'anyone',
    summary: 'Files of a container as a tar (versions before 1.24)',
    params: schema.ContainerName,
    body: schema.CopyRequest,
    response: 'bytes',
    handler: async ({ params, body }) => bytes(await copyOut(parts, params.id, body.Resource), { 'content-type': tar }),
  }),
]
