// Begins a session on its socket: held here, or by the server behind the model.
import { unixSeconds } from '@atoll/kernel/clock/clock'
import type { SocketContext } from '@atoll/kernel/http/service'
import { cutWhenOver } from '@atoll/kernel/http/sockets/cut-when-over'
import type { Kernel } from '@atoll/kernel/kernel'
import type { WebSocket } from 'ws'
import type { ProjectCaller, RealtimeCaller } from '../../callers.ts'
import type { PlatformConfig } from '../../config.ts'
import type { Identity } from '../../identity/identity.ts'
import { answerIdentityProblem } from '../../identity/problem-answer.ts'
import type { Inference } from '../../inference/inference.ts'
import { type ConsoleSessions, consoleProjectOf } from './authenticate.ts'
import { Connection } from './connection.ts'
import { chooseDialect, isBeta } from './dialects/choose-dialect.ts'
import { writeLaterSession } from './dialects/later-session.ts'
import { passThrough } from './passed-through.ts'
import type { SessionFields, SessionKind } from './schema.ts'
import { changedSettings, defaultSettings, transcriptionSettings } from './session-settings.ts'
import { warmModels } from './warm-models.ts'
import { whileCallerMay } from './while-caller-may.ts'

export interface SessionNeeds extends Pick<Kernel, 'ids' | 'clock'> {
  identity: Pick<Identity, 'projectOfKey'>
  inference: Inference
  settings: PlatformConfig['realtime']
  sessions: ConsoleSessions
}

export interface OpenedSession {
  kind: SessionKind
  model: string
}

export async function openSession(
  socket: WebSocket,
  context: SocketContext,
  { kind, model }: OpenedSession,
  needs: SessionNeeds,
): Promise<void> {
  const { ids, clock, inference, settings: limits } = needs
  const { headers, log } = context
  const { session, ...caller } = context.caller as RealtimeCaller
  const closing = new AbortController()
  socket.on('close', () => closing.abort())
  const rights = { stillMay: () => stillMay(context, caller, needs), recheckMs: needs.sessions.recheckMs }
  // Whoever logs out wants to be out at once; a key that ends opens nothing more.
  if (caller.sessionId !== undefined) cutWhenOver(socket, rights)
  const begun = { ids, log, caller, kind, model, limits, inference: whileCallerMay(inference, { ...rights, clock }) }
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

async function stillMay(head: SocketContext, caller: ProjectCaller, needs: SessionNeeds): Promise<boolean> {
  const { identity, sessions } = needs
  const { keyId, organizationId: organization, projectId: project } = caller
  const holder =
    caller.sessionId === undefined
      ? await identity.projectOfKey(keyId, { organization, project }).catch(answerIdentityProblem)
      : await sessions.callerOf(head, consoleProjectOf(head.headers) ?? '')
  return holder !== undefined
}

/** What a short-lived key was made with, in the words of its client. */
function toldSettings(settings: SessionFields, beta: boolean): object | undefined {
  const changed = changedSettings(settings)
  if (Object.keys(changed).length === 0) return undefined
  if (beta) return changed
  const { id: _, object: __, model: ___, expires_at: ____, ...later } = writeLaterSession({ ...settings })
  return later
}
