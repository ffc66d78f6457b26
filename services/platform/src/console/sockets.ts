// Terminals in a browser: a WebSocket for each process of a container that is attached to.
import type { SocketContext, SocketRoute } from '@atoll/kernel/http/service'
import { bridge } from '@atoll/kernel/http/sockets/socket-bridge'
import { z } from 'zod'
import type { PlatformCallers } from '../callers.ts'
import { kernelErrors } from '../errors/errors.ts'
import type { Operation } from './operation.ts'

const maxMessageBytes = 1024 * 1024
/** Ctrl-D: a shell that nobody sees any more ends. */
const endOfInput = '\x04'

const idShape = /^[A-Za-z0-9][\w.-]{0,127}$/

type Target = { path: string; body: unknown; farewell?: string }

export function consoleSockets(operation: Operation): SocketRoute<PlatformCallers>[] {
  const socketRoute = (
    path: string,
    summary: string,
    target: (id: string) => Target,
  ): SocketRoute<PlatformCallers> => ({
    path,
    auth: 'public',
    summary,
    isInternal: true,
    query: z.strictObject({}),
    maxMessageBytes,
    async admit(context) {
      if (!idShape.test(context.params.id ?? '')) throw kernelErrors.badRequest('This is no id of a container.')
      await operation.destination(context, 'engine', 'socket')
    },
    open(socket, context) {
      socket.pause() // what is typed meanwhile waits
      join(context).catch(() => socket.terminate())
      async function join(head: SocketContext): Promise<void> {
        const { connect, stillMay, record } = await operation.destination(head, 'engine', 'socket')
        const { recheckMs } = operation
        const wanted = target(encodeURIComponent(head.params.id ?? ''))
        const [path = '', search = ''] = wanted.path.split('?', 2)
        const refused = await record?.({ method: 'POST', path, search })
        bridge(socket, { ...wanted, connect, stillMay, recheckMs, ...(refused && { refused }) })
      }
    },
  })
  return [
    socketRoute(
      '/console/services/engine/exec/:id/start',
      'Attach to a process that a container runs besides',
      (id) => ({
        path: `/exec/${id}/start`,
        body: { Detach: false, Tty: true },
        farewell: endOfInput,
      }),
    ),
    socketRoute('/console/services/engine/containers/:id/attach', 'Attach to a container', (id) => ({
      path: `/containers/${id}/attach?stream=1&stdin=1&stdout=1&stderr=1`,
      body: {},
    })),
  ]
}
