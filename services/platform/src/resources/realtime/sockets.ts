// GET /v1/realtime?model=… as a WebSocket.
import { unixSeconds } from '@atoll/kernel/clock/clock'
import type { SocketContext, SocketRoute } from '@atoll/kernel/http/service'
import type { Kernel } from '@atoll/kernel/kernel'
import { z } from 'zod'
import type { PlatformCallers, RealtimeCaller } from '../../callers.ts'
import type { PlatformConfig } from '../../config.ts'
import { realtimeErrors } from '../../errors/realtime.ts'
import type { Identity } from '../../identity/identity.ts'
import type { Inference } from '../../inference/inference.ts'
import { Connection } from './connection.ts'
import { chooseDialect } from './dialects/choose-dialect.ts'
import { defaultSettings } from './session-settings.ts'
import { whileKeyHolds } from './while-key-holds.ts'

/** 15 MiB of sound in base64, and what goes around it: larger appends are refused by an event, larger messages cut. */
const maxMessageBytes = 32 * 1024 * 1024

interface Parts extends Pick<Kernel, 'ids' | 'clock'> {
  identity: Pick<Identity, 'projectOfKey'>
  inference: Inference
  settings: PlatformConfig['realtime']
}

const Query = z.object({ model: z.string().min(1).max(256).optional() })

export function realtimeSockets({ ids, clock, identity, inference, settings }: Parts): SocketRoute<PlatformCallers>[] {
  let open = 0
  const model = ({ caller, query }: SocketContext): string => {
    const bound = (caller as RealtimeCaller).session
    const asked = (query as z.output<typeof Query>).model ?? bound?.model
    if (asked === undefined) throw realtimeErrors.noModel()
    if (bound !== undefined && bound.model !== asked) throw realtimeErrors.otherModel(bound.model)
    return asked
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
        await inference.resolve(context.caller as RealtimeCaller, model(context), 'chat')
      },
      open(socket, context) {
        open += 1
        socket.on('close', () => {
          open -= 1
        })
        const { session, ...caller } = context.caller as RealtimeCaller
        new Connection(socket, {
          ...{ ids, log: context.log, caller, model: model(context) },
          inference: whileKeyHolds(inference, { identity, clock }),
          voiceModels: { transcription: settings.transcriptionModel, speech: settings.speechModel },
          settings: session?.settings ?? defaultSettings,
          expiresAt: unixSeconds(clock) + settings.maxSessionSeconds,
          dialect: chooseDialect(context.headers),
          limits: settings,
        })
      },
    },
  ]
}
