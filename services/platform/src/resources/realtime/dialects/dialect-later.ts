// The dialect of clients without the beta mark: other names, settings in groups, and items that are added, then done.
import type { ServerEvent } from '../events.ts'
import type { RawEvent } from '../read-event.ts'
import type { Dialect } from './dialect.ts'
import { readLaterItem, writeLaterItem, writeLaterPart } from './later-items.ts'
import { laterNames, readLaterSettings, writeLaterSession } from './later-session.ts'

type Fields = Record<string, unknown>

const renamed: Record<string, string> = {
  'response.text.delta': 'response.output_text.delta',
  'response.text.done': 'response.output_text.done',
  'response.audio.delta': 'response.output_audio.delta',
  'response.audio.done': 'response.output_audio.done',
  'response.audio_transcript.delta': 'response.output_audio_transcript.delta',
  'response.audio_transcript.done': 'response.output_audio_transcript.done',
}

/** There is none of its own any more. */
const gone = new Set(['conversation.created'])

export const laterDialect: Dialect = { read, write }

function read(event: RawEvent): RawEvent {
  switch (event.type) {
    case 'session.update':
      return { ...event, session: readLaterSettings(event.session, 'session') }
    case 'response.create':
      return { ...event, ...(event.response == null ? {} : { response: readResponse(event.response) }) }
    case 'conversation.item.create':
      return { ...event, item: readLaterItem(event.item) }
    default:
      return event
  }
}

function readResponse(response: unknown): unknown {
  const fields = readLaterSettings(response, 'response') as Fields
  if (Array.isArray(fields?.input)) fields.input = fields.input.map(readLaterItem)
  return fields
}

function write(event: ServerEvent): ServerEvent[] {
  if (gone.has(event.type)) return []
  switch (event.type) {
    case 'session.created':
    case 'session.updated':
      return [{ ...event, session: writeLaterSession(event.session as Fields) }]
    case 'conversation.item.created':
      return created(event)
    case 'response.output_item.done': {
      const item = writeLaterItem(event.item as Fields)
      return [
        { type: 'conversation.item.done', item },
        { ...event, item },
      ]
    }
    case 'response.output_item.added':
    case 'conversation.item.retrieved':
      return [{ ...event, item: writeLaterItem(event.item as Fields) }]
    case 'response.content_part.added':
    case 'response.content_part.done':
      return [{ ...event, part: writeLaterPart(event.part as Fields, true) }]
    case 'response.created':
    case 'response.done':
      return [{ ...event, response: writeResponse(event.response as Fields) }]
    case 'error':
      return [{ ...event, error: writeError(event.error as Fields) }]
    default:
      return [{ ...event, type: renamed[event.type] ?? event.type }]
  }
}

/** What is whole already is done at once. */
function created({ type: _, ...fields }: ServerEvent): ServerEvent[] {
  const item = writeLaterItem(fields.item as Fields)
  const added = { ...fields, type: 'conversation.item.added', item }
  return item.status === 'in_progress' ? [added] : [added, { ...fields, type: 'conversation.item.done', item }]
}

const writeResponse = (response: Fields): Fields => ({
  ...response,
  output: (response.output as Fields[]).map(writeLaterItem),
})

function writeError(error: Fields): Fields {
  const { param } = error
  if (typeof param !== 'string') return error
  const found = laterNames.find(([inside]) => new RegExp(`^(session|response)\\.${inside}\\b`).test(param))
  return found === undefined ? error : { ...error, param: param.replace(found[0], found[1]) }
}
