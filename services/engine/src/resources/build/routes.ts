// Building is not done here: what clients are told who ask for it, and the cache that `docker system prune` asks for.
import { z } from 'zod'
import { defineRoute } from '../../callers.ts'
import { notImplemented } from '../../errors.ts'
import type { RouteName } from '../../versions/change.ts'
import { filters } from '../query/schema.ts'
import { refusedRoute } from '../refused-route.ts'
import { BuildCachePruned } from './schema.ts'
import type { BuildCache } from './service.ts'

/** Classic builds, and the sessions that BuildKit's clients open before theirs. */
const building: RouteName[] = ['POST /build', 'POST /build/cancel', 'POST /session', 'POST /grpc']

const cannot = () =>
  notImplemented(
    'Building images is not part of this engine yet: build elsewhere, then "docker load" or "docker pull" the image, or make one with "docker commit" or "docker import"',
  )

export const buildRoutes = (cache: BuildCache) => [
  defineRoute({
    method: 'POST',
    path: '/build/prune',
    auth: 'anyone',
    summary: 'Delete the build cache',
    query: z.object({ filters }),
    response: BuildCachePruned,
    handler: ({ query }) => cache.prune(query.filters),
  }),
  ...building.map((name) => refusedRoute(name, 'Build an image', cannot)),
]
