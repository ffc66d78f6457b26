// Resizing a container's terminal over HTTP.
import { empty } from '@atoll/kernel/http/reply'
import { defineRoute } from '../../../callers.ts'
import { ResizeParams, ResizeQuery } from './schema.ts'
import type { Resizing } from './service.ts'

export const resizeRoutes = (resizing: Resizing) => [
  defineRoute({
    method: 'POST',
    path: '/containers/:id/resize',
    auth: 'anyone',
    summary: "Resize a container's terminal",
    params: ResizeParams,
    query: ResizeQuery,
    response: 'bytes',
    handler: async ({ params, query }) => {
      await resizing.resize(params.id, query)
      return empty(200)
    },
  }),
]
