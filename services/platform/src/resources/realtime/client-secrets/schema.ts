// Short-lived keys for clients that must not have a real one, in both dialects.
import { z } from 'zod'
import { SessionFields, SessionUpdate } from '../schema.ts'

const Lifetime = z.strictObject({
  anchor: z.literal('created_at').default('created_at'),
  seconds: z.int().min(10).max(7_200).default(600),
})

export const CreateSession = SessionUpdate.extend({
  client_secret: z.strictObject({ expires_at: Lifetime.optional() }).optional(),
})
export type CreateSession = z.output<typeof CreateSession>

export const CreatedSession = SessionFields.extend({
  id: z.string(),
  object: z.literal('realtime.session'),
  model: z.string(),
  expires_at: z.int(),
  client_secret: z.strictObject({ value: z.string(), expires_at: z.int() }),
})
export type CreatedSession = z.output<typeof CreatedSession>

/** What it may hold is checked by the dialect, as in the session itself. */
export const CreateTranscriptionSession = z.looseObject({
  client_secret: z.strictObject({ expires_at: Lifetime.optional() }).optional(),
})
export type CreateTranscriptionSession = z.output<typeof CreateTranscriptionSession>

export const CreatedTranscriptionSession = z.object({
  id: z.string(),
  object: z.literal('realtime.transcription_session'),
  expires_at: z.int(),
  input_audio_format: SessionFields.shape.input_audio_format,
  input_audio_transcription: SessionFields.shape.input_audio_transcription,
  turn_detection: z.looseObject({ type: z.string() }).nullable(),
  input_audio_noise_reduction: z.null(),
  include: z.null(),
  client_secret: z.strictObject({ value: z.string(), expires_at: z.int() }),
})
export type CreatedTranscriptionSession = z.output<typeof CreatedTranscriptionSession>

/** The session's settings are those of the later dialect, and are checked once they are translated. */
const LaterSession = z.looseObject({
  type: z.enum(['realtime', 'transcription']),
  model: z.string().min(1).max(256).optional(),
})

export const CreateClientSecret = z.strictObject({
  expires_after: Lifetime.optional(),
  session: LaterSession.optional(),
})
export type CreateClientSecret = z.output<typeof CreateClientSecret>

export const CreatedClientSecret = z.strictObject({
  value: z.string(),
  expires_at: z.int(),
  session: z.record(z.string(), z.unknown()),
})
export type CreatedClientSecret = z.output<typeof CreatedClientSecret>
