// The classic builder. BuildKit's clients are told what to do instead.
import { defineRoute } from '../../callers.ts'
import { progressReply } from '../../images/progress.ts'
import type { RouteName } from '../../versions/change.ts'
import { streamItems } from '../../versions/stream-items.ts'
import { refusedRoute } from '../refused-route.ts'
import type { BuildCache } from './build-cache.ts'
import { readBuildOptions, refuseBuildKit } from './build-options.ts'
import { BuildCachePruned, BuildQuery, PruneQuery } from './schema.ts'
import type { Builds } from './service.ts'

/** What BuildKit's clients open before a build, and how they give one up. */
const buildKit: RouteName[] = ['POST /build/cancel', 'POST /session', 'POST /grpc']

async function* shaped(messages: AsyncGenerator<object>, shape: ((item: unknown) => unknown) | undefined) {
  for await (const message of messages) {
    const item = shape === undefined ? message : shape(message)
    if (typeof item === 'object' && item !== null) yield item
  }
}

export const buildRoutes = (builds: Builds, cache: BuildCache) => [
  defineRoute({
    method: 'POST',
    path: '/build',
    auth: 'anyone',
    summary: 'Build an image',
    query: BuildQuery,
    body: 'stream',
    response: 'bytes',
    handler: ({ query, body, headers, signal, ways }) => {
      const options = readBuildOptions(query)
      const { remote, dockerfile, q: isQuiet } = query
      const messages = builds.build({ body, headers, remote, dockerfile, isQuiet, options, signal })
      // What is wrong before the first line is an answer with a status of its own.
      return progressReply(shaped(messages, streamItems('POST /build', ways)), false)
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/build/prune',
    auth: 'anyone',
    summary: 'Delete the build cache',
    query: PruneQuery,
    response: BuildCachePruned,
    handler: ({ query }) => cache.prune(query),
  }),
  ...buildKit.map((name) => refusedRoute(name, 'Build an image', refuseBuildKit)),
]
