// Short-lived keys (`ek_…`): made with an ordinary key, bound to its project and to the settings of a session.
import { type Clock, unixSeconds } from '@atoll/kernel/clock/clock'
import type { Database } from '@atoll/kernel/db/database'
import type { Ids } from '@atoll/kernel/ids/ids'
import type { ProjectCaller, RealtimeCaller } from '../../../callers.ts'
import { consoleErrors } from '../../../errors/console.ts'
import { realtimeErrors } from '../../../errors/realtime.ts'
import type { Identity } from '../../../identity/identity.ts'
import { digestOf } from '../../../identity/keys/secret.ts'
import type { Inference } from '../../../inference/inference.ts'
import { writeLaterSession } from '../dialects/later-session.ts'
import { checkedUpdate, laterUpdate } from '../dialects/later-update.ts'
import {
  readLaterTranscription,
  readTranscription,
  writeLaterTranscription,
  writeTranscription,
} from '../dialects/transcriptions.ts'
import { SessionFields, type SessionUpdate } from '../schema.ts'
import { defaultSettings, transcriptionSettings, updateSettings } from '../session-settings.ts'
import type {
  CreateClientSecret,
  CreatedClientSecret,
  CreatedSession,
  CreatedTranscriptionSession,
  CreateSession,
  CreateTranscriptionSession,
} from './schema.ts'
import { deleteClientKeysExpiredBefore, findClientKey, insertClientKey } from './store.ts'

export const clientKeyPrefix = 'ek_'
const secretLetters = 48
const defaultModel = 'gpt-4o-realtime-preview'
/** Unless told: as the hosted service did, in either dialect. */
const defaultSeconds = 60
const defaultLaterSeconds = 600
/** A table of keys that have ended is of use to nobody. */
const pruneAfterSeconds = 60

interface Parts {
  db: Database
  ids: Ids
  clock: Clock
  identity: Identity
  inference: Inference
  /** The one that writes down unless told otherwise. */
  transcriptionModel: string
}

type BoundSession = NonNullable<RealtimeCaller['session']>

export class ClientSecrets {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  async createSession(caller: ProjectCaller, { client_secret, ...update }: CreateSession): Promise<CreatedSession> {
    const { model, settings } = await this.#settingsOf(caller, update)
    const seconds = client_secret?.expires_at?.seconds ?? defaultSeconds
    const { value, expires_at } = await this.#issue(caller, { kind: 'conversation', model, settings }, seconds)
    const id = this.#parts.ids.next('sess_')
    return { id, object: 'realtime.session', model, ...settings, expires_at, client_secret: { value, expires_at } }
  }

  async createSecret(
    caller: ProjectCaller,
    { session, expires_after }: CreateClientSecret,
  ): Promise<CreatedClientSecret> {
    const isTranscription = session?.type === 'transcription'
    const bound = isTranscription
      ? await this.#transcriptionOf(caller, readLaterTranscription(session))
      : { kind: 'conversation' as const, ...(await this.#settingsOf(caller, laterUpdate(session ?? {}))) }
    const seconds = expires_after?.seconds ?? defaultLaterSeconds
    const { value, expires_at } = await this.#issue(caller, bound, seconds)
    const { model, settings } = bound
    const shown = { id: this.#parts.ids.next('sess_'), object: 'realtime.session', model, expires_at, ...settings }
    return { value, expires_at, session: (isTranscription ? writeLaterTranscription : writeLaterSession)(shown) }
  }

  async createTranscriptionSession(
    caller: ProjectCaller,
    { client_secret, ...given }: CreateTranscriptionSession,
  ): Promise<CreatedTranscriptionSession> {
    const bound = await this.#transcriptionOf(caller, readTranscription(given))
    const seconds = client_secret?.expires_at?.seconds ?? defaultSeconds
    const { value, expires_at } = await this.#issue(caller, bound, seconds)
    const shown = { id: this.#parts.ids.next('sess_'), expires_at, ...bound.settings }
    const session = writeTranscription(shown) as Omit<CreatedTranscriptionSession, 'client_secret'>
    return { ...session, client_secret: { value, expires_at } }
  }

  /** Who holds it; throws 401 when it has ended. */
  async callerOf(secret: string): Promise<RealtimeCaller> {
    const { db, clock, identity } = this.#parts
    const row = await findClientKey(db.queries, digestOf(secret))
    if (row === undefined || row.expires_at <= unixSeconds(clock)) throw realtimeErrors.expiredKey()
    const scope = { organization: row.organization_id, project: row.project_id }
    const caller = await identity.projectOfKey(row.key_id, scope)
    if (caller === undefined) throw realtimeErrors.expiredKey()
    const { kind = 'conversation', ...settings } = JSON.parse(row.settings)
    return { ...caller, session: { kind, model: row.model, settings: SessionFields.parse(settings) } }
  }

  /** The fields as the dialect has read them, not checked yet. */
  async #transcriptionOf(caller: ProjectCaller, fields: unknown): Promise<BoundSession> {
    const update = checkedUpdate(fields)
    if (update.input_audio_transcription === null) throw realtimeErrors.mustTranscribe()
    const model = update.input_audio_transcription?.model ?? this.#parts.transcriptionModel
    await this.#parts.inference.resolve(caller, model, 'transcription')
    const settings = updateSettings(transcriptionSettings(model), update, { model, hasSpoken: false })
    return { kind: 'transcription', model, settings }
  }

  async #settingsOf(caller: ProjectCaller, { model = defaultModel, ...update }: SessionUpdate) {
    await this.#parts.inference.resolve(caller, model, 'chat', 'v1/realtime')
    return { model, settings: updateSettings(defaultSettings, update, { model, hasSpoken: false }) }
  }

  async #issue(caller: ProjectCaller, { kind, model, settings }: BoundSession, seconds: number) {
    // Such a key ends with the one it was made with, and a session has none of the project.
    if (caller.sessionId !== undefined) throw consoleErrors.needsKey()
    const { db, ids, clock } = this.#parts
    const value = clientKeyPrefix + ids.secret(secretLetters)
    const now = unixSeconds(clock)
    const row = {
      digest: digestOf(value),
      key_id: caller.keyId,
      organization_id: caller.organizationId,
      project_id: caller.projectId,
      model,
      settings: JSON.stringify({ kind, ...settings }),
      expires_at: now + seconds,
    }
    await db.transaction(async (tx) => {
      await deleteClientKeysExpiredBefore(tx, now - pruneAfterSeconds)
      await insertClientKey(tx, row)
    })
    return { value, expires_at: row.expires_at }
  }
}
