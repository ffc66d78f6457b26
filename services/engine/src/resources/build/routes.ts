// Builds over HTTP: by the classic builder, and as older clients ask BuildKit for them.
import { empty } from '@atoll/kernel/http/reply'
import type { HttpBuilds } from '../../buildkit/http-builds.ts'
import { defineRoute } from '../../callers.ts'
import { invalidParameter } from '../../errors.ts'
import { progressReply } from '../../images/progress.ts'
import { streamItems } from '../../versions/stream-items.ts'
import type { BuildCache } from './build-cache.ts'
import { readBuildOptions } from './build-options.ts'
import { BuildCachePruned, BuildQuery, CancelQuery, PruneQuery } from './schema.ts'
import type { Builds } from './service.ts'

async function* shaped(messages: AsyncGenerator<object>, shape: ((item: unknown) => unknown) | undefined) {
  for await (const message of messages) {
    const item = shape === undefined ? message : shape(message)
    if (typeof item === 'object' && item !== null) yield item
  }
}

const uploadPrefix = 'upload-request:'

export const buildRoutes = (builds: Builds, kitBuilds: HttpBuilds, cache: BuildCache) => [
  defineRoute({
    method: 'POST',
    path: '/build',
    auth: 'anyone',
    summary: 'Build an image',
    query: BuildQuery,
    body: 'stream',
    response: 'bytes',
    handler: async ({ query, body, headers, signal, ways }) => {
      const options = readBuildOptions(query)
      const { remote, dockerfile, q: isQuiet, buildid: buildId, session: sessionId } = query
      if (query.version === '2') {
        if (buildId.startsWith(uploadPrefix)) {
          await kitBuilds.upload(buildId.slice(uploadPrefix.length), body)
          return empty(200)
        }
        if (remote !== '') body.resume()
        if (remote === 'client-session' && sessionId === '') throw invalidParameter('session is missing')
        const outputs = query.outputs.map(({ Type, Attrs }) => ({
          type: Type,
          attrs: new Map(Object.entries(Attrs ?? {})),
        }))
        const asked = { options, sessionId, buildId, remote, body, dockerfile, isQuiet, outputs, signal }
        return progressReply(kitBuilds.build(asked), false)
      }
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
  defineRoute({
    method: 'POST',
    path: '/build/cancel',
    auth: 'anyone',
    summary: 'Cancel a build',
    query: CancelQuery,
    response: 'bytes',
    handler: ({ query }) => {
      kitBuilds.cancel(query.id)
      return empty(200)
    },
  }),
]
