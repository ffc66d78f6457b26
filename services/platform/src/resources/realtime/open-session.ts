// Begins a session on its socket: held here, or by the server behind the model.
import { unixSeconds } from '@atoll/kernel/clock/clock'
import type { SocketContext } from '@atoll/kernel/http/service'
import type { Kernel } from '@atoll/kernel/kernel'
import type { WebSocket } from 'ws'
import type { RealtimeCaller } from '../../callers.ts'
import type { PlatformConfig } from '../../config.ts'
import type { Identity } from '../../identity/identity.ts'
import type { Inference } from '../../inference/inference.ts'
import { Connection } from './connection.ts'
import { chooseDialect, isBeta } from './dialects/choose-dialect.ts'
import { writeLaterSession } from './dialects/later-session.ts'
import { passThrough } from './passed-through.ts'
import type { SessionFields, SessionKind } from './schema.ts'
import { changedSettings, defaultSettings, transcriptionSettings } from './session-settings.ts'
import { warmModels } from './warm-models.ts'
import { whileKeyHolds } from './while-key-holds.ts'

export interface SessionNeeds extends Pick<Kernel, 'ids' | 'clock'> {
  identity: Pick<Identity, 'projectOfKey'>
  inference: Inference
  settings: PlatformConfig['realtime']
}

export interface OpenedSession {
  kind: SessionKind
  model: string
}

export async function openSession(
  socket: WebSocket,
  context: SocketContext,
  { kind, model }: OpenedSession,
  { ids, clock, identity, inference, settings: limits }: SessionNeeds,
): Promise<void> {
  const { headers, log } = context
  const { session, ...caller } = context.caller as RealtimeCaller
  const closing = new AbortController()
  socket.on('close', () => closing.abort())
  const begun = { ids, log, caller, kind, model, limits, inference: whileKeyHolds(inference, { identity, clock }) }
  // What the client says meanwhile waits in its own buffers.
  socket.pause()
  const upstream = kind === 'conversation' ? (await inference.resolve(caller, model, 'chat')).port.realtime : undefined
  if (upstream !== undefined) {
    const told = session && toldSettings(session.settings, isBeta(headers))
    return passThrough(socket, { ...begun, upstream, isBeta: isBeta(headers), settings: told })
  }
  const isTranscription = kind === 'transcription'
  const voiceModels = {
    transcription: isTranscription ? model : limits.transcriptionModel,
    speech: limits.speechModel,
  }
  const settings = session?.settings ?? (isTranscription ? transcriptionSettings(model) : defaultSettings)
  const chat = isTranscription ? undefined : model
  warmModels({ inference, log, caller, model: chat, voiceModels, settings, signal: closing.signal })
  const expiresAt = unixSeconds(clock) + limits.maxSessionSeconds
  new Connection(socket, { ...begun, voiceModels, settings, expiresAt, dialect: chooseDialect(headers, kind) })
  socket.resume()
}

/** What a short-lived key was made with, in the words of its client. */
function toldSettings(settings: SessionFields, beta: boolean): object | undefined {
  const changed = changedSettings(settings)
  if (Object.keys(changed).length === 0) return undefined
  if (beta) return changed
  const { id: _, object: __, model: ___, expires_at: ____, ...later } = writeLaterSession({ ...settings })
  return later
}
