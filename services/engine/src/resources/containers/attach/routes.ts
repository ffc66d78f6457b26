// Attaching over HTTP: the connection becomes the container's streams, or a WebSocket carries them.
import { hijack } from '@atoll/kernel/http/reply'
import type { SocketContext, SocketRoute } from '@atoll/kernel/http/service'
import { defineRoute, type EngineCallers } from '../../../callers.ts'
import { streamType } from '../../../streams/stream-type.ts'
import { WebSocketStream } from '../../../streams/web-socket-stream.ts'
import { AttachQuery } from './attach-query.ts'
import { AttachParams } from './schema.ts'
import type { Attachments } from './service.ts'

/** The second is an odd spelling of the documents. */
const methods = ['POST', 'GET'] as const

export const attachRoutes = (attachments: Attachments) =>
  methods.map((method) =>
    defineRoute({
      method,
      path: '/containers/:id/attach',
      auth: 'anyone',
      summary: 'Attach to a container',
      params: AttachParams,
      query: AttachQuery,
      response: 'raw',
      handler: async ({ params, query, ways }) => {
        const { tty, serve } = await attachments.attach(params.id, query)
        return hijack(serve, { 'content-type': streamType(tty, ways) })
      },
    }),
  )

const maxMessageBytes = 1024 * 1024
const internalError = 1011

/** Before 1.42 all streams were attached, whatever was asked for. */
const askedOf = ({ query, ways }: SocketContext): AttachQuery => {
  const asked = query as AttachQuery
  return ways.has('ws-all-streams') ? { ...asked, stdin: true, stdout: true, stderr: true } : asked
}

export const attachSockets = (attachments: Attachments): SocketRoute<EngineCallers>[] => [
  {
    path: '/containers/:id/attach/ws',
    auth: 'anyone',
    summary: 'Attach to a container by a WebSocket',
    query: AttachQuery,
    maxMessageBytes,
    admit: async (context) => attachments.check(context.params.id ?? '', askedOf(context)),
    open(socket, context) {
      // Before 1.28 messages were text.
      const client = new WebSocketStream(socket, { isText: context.ways.has('ws-text-frames') })
      attachments.attach(context.params.id ?? '', askedOf(context), { unframed: true }).then(
        ({ serve }) => serve(client),
        () => socket.close(internalError),
      )
    },
  },
]
