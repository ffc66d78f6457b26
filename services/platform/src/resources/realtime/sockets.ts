// GET /v1/realtime?model=… as a WebSocket.
import type { SocketContext, SocketRoute } from '@atoll/kernel/http/service'
import { z } from 'zod'
import type { PlatformCallers, RealtimeCaller } from '../../callers.ts'
import { realtimeErrors } from '../../errors/realtime.ts'
import type { OpenedSession, SessionNeeds } from './open-session.ts'
import { sessionKinds } from './schema.ts'

/** 15 MiB of sound in base64, and what goes around it: larger appends are refused by an event, larger messages cut. */
const maxMessageBytes = 32 * 1024 * 1024
const internalError = 1011

const Query = z.object({
  model: z.string().min(1).max(256).optional(),
  /** `transcription`: what is said is written down and not answered. */
  intent: z.enum(sessionKinds).optional(),
})

export function realtimeSockets(needs: SessionNeeds): SocketRoute<PlatformCallers>[] {
  const { inference, settings } = needs
  let open = 0
  /** Loaded with the first session: most servers have none. */
  let code: typeof import('./open-session.ts') | undefined
  const opened = ({ caller, query }: SocketContext): OpenedSession => {
    const bound = (caller as RealtimeCaller).session
    const { model, intent = bound?.kind ?? 'conversation' } = query as z.output<typeof Query>
    if (bound !== undefined && bound.kind !== intent) throw realtimeErrors.otherIntent(bound.kind)
    const usual = intent === 'transcription' ? settings.transcriptionModel : undefined
    const asked = model ?? bound?.model ?? usual
    if (asked === undefined) throw realtimeErrors.noModel()
    if (bound !== undefined && bound.model !== asked) throw realtimeErrors.otherModel(bound.model)
    return { kind: intent, model: asked }
  }
  return [
    {
      path: '/v1/realtime',
      auth: 'realtime',
      summary: 'Hold a realtime conversation over a WebSocket',
      query: Query,
      maxMessageBytes,
      chooseProtocol: (offered) => offered.find((name) => name === 'realtime'),
      async admit(context) {
        if (open >= settings.maxSessions) throw realtimeErrors.tooManySessions(settings.maxSessions)
        const { kind, model } = opened(context)
        const port = kind === 'transcription' ? kind : 'chat'
        await inference.resolve(context.caller as RealtimeCaller, model, port, 'v1/realtime')
        code ??= await import('./open-session.ts')
      },
      open(socket, context) {
        if (code === undefined) throw new Error('a session is admitted before it is opened')
        open += 1
        socket.on('close', () => {
          open -= 1
        })
        code.openSession(socket, context, opened(context), needs).catch((error: unknown) => {
          context.log.error({ error }, 'A realtime session could not begin')
          socket.close(internalError)
        })
      },
    },
  ]
}
