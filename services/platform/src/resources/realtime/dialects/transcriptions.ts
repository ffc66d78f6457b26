// Sessions that only write down what they hear, in both dialects: the older one has events and an object of its own for
// them, the later one a type.
import { realtimeErrors } from '../../../errors/realtime.ts'
import type { ServerEvent } from '../events.ts'
import type { RawEvent } from '../read-event.ts'
import type { Dialect } from './dialect.ts'
import { laterDialect } from './dialect-later.ts'
import { mediaTypes, readLaterSettings } from './later-session.ts'

type Fields = Record<string, unknown>

const object = 'realtime.transcription_session'
/** What can be said of such a session. */
const known = new Set(['input_audio_format', 'input_audio_transcription', 'turn_detection'])
/** Taken when they ask for nothing. */
const notDone = ['input_audio_noise_reduction', 'include']

const isSession = (type: string): boolean => type === 'session.created' || type === 'session.updated'

export const transcriptions2024: Dialect = {
  read(event: RawEvent): RawEvent {
    if (event.type !== 'transcription_session.update') return event
    return { ...event, type: 'session.update', session: readTranscription(event.session) }
  },
  write(event: ServerEvent): ServerEvent[] {
    if (event.type === 'conversation.created') return []
    if (!isSession(event.type)) return [event]
    return [{ ...event, type: `transcription_${event.type}`, session: writeTranscription(event.session as Fields) }]
  },
}

export const laterTranscriptions: Dialect = {
  read(event: RawEvent): RawEvent {
    if (event.type !== 'session.update') return laterDialect.read(event)
    return { ...event, session: readLaterTranscription(event.session) }
  },
  write(event: ServerEvent): ServerEvent[] {
    if (!isSession(event.type)) return laterDialect.write(event)
    return [{ ...event, session: writeLaterTranscription(event.session as Fields) }]
  },
}

/** What is no object is refused where the event is checked. */
export function readTranscription(given: unknown): unknown {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return given
  const fields: Fields = { ...given }
  for (const name of notDone) {
    const value = fields[name]
    const isNothing = value === undefined || value === null || (Array.isArray(value) && value.length === 0)
    if (!isNothing) throw realtimeErrors.notDone(`session.${name}`)
    delete fields[name]
  }
  return onlyKnown(fields)
}

export function readLaterTranscription(given: unknown): unknown {
  const fields = readLaterSettings(given, 'session', 'transcription')
  return typeof fields === 'object' && fields !== null ? onlyKnown(fields as Fields) : fields
}

function onlyKnown(fields: Fields): Fields {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined)
  for (const [name] of given) if (!known.has(name)) throw realtimeErrors.unknownParameter(`session.${name}`)
  return Object.fromEntries(given)
}

export function writeTranscription(session: Fields): Fields {
  const { id, expires_at, input_audio_format, input_audio_transcription, turn_detection } = session
  return {
    ...{ id, object, expires_at, input_audio_format, input_audio_transcription },
    turn_detection: withoutAnswers(turn_detection),
    ...{ input_audio_noise_reduction: null, include: null },
  }
}

export function writeLaterTranscription(session: Fields): Fields {
  const { id, expires_at, input_audio_format, input_audio_transcription, turn_detection } = session
  const input = {
    format: mediaTypes[input_audio_format as string],
    transcription: input_audio_transcription,
    noise_reduction: null,
    turn_detection: withoutAnswers(turn_detection),
  }
  return { type: 'transcription', id, object, expires_at, audio: { input }, include: null }
}

/** Whether a turn is answered or interrupts an answer is no question where nothing is answered. */
function withoutAnswers(detection: unknown): unknown {
  if (typeof detection !== 'object' || detection === null) return null
  const { create_response: _, interrupt_response: __, ...rest } = detection as Fields
  return rest
}
