// BuildKit's own interface, on a connection that stops speaking HTTP/1.
import { HttpError } from '@atoll/kernel/http/error'
import { hijack } from '@atoll/kernel/http/reply'
import { defineRoute } from '../callers.ts'
import { type Methods, serveGrpc } from '../grpc/serve.ts'
import { whenWritten } from '../grpc/take-over.ts'
import { buildFailure } from './build-failure.ts'
import { requireH2c } from './session-route.ts'

const maxMessageBytes = 16 * 1024 * 1024

export const grpcRoutes = (methods: Methods) => [
  defineRoute({
    method: 'POST',
    path: '/grpc',
    auth: 'anyone',
    summary: "Speak BuildKit's interface",
    response: 'raw',
    handler: ({ headers, log }) => {
      requireH2c(headers)
      const describe = (error: unknown) => {
        const failure = buildFailure(error)
        if (failure.message === 'internal error' && !(error instanceof HttpError)) log.error({ error }, 'A call failed')
        return failure
      }
      return hijack((connection) =>
        whenWritten(connection, () => serveGrpc(connection, methods, { maxMessageBytes, describe })),
      )
    },
  }),
]
