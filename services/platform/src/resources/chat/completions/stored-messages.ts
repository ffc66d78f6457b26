// The messages of a kept completion, a page at a time. Their ids are the completion's, with their place.

import type { ListEnvelope } from '../../../conventions/lists.ts'
import { listErrors } from '../../../errors/errors.ts'
import type { StoredMessage } from './answer/schema.ts'
import type { RequestMessage } from './messages/schema.ts'

export interface MessagePageQuery {
  after?: string | undefined
  limit: number
  order: 'asc' | 'desc'
}

export function messagePage(
  completionId: string,
  messages: readonly RequestMessage[],
  { after, limit, order }: MessagePageQuery,
): ListEnvelope<StoredMessage> {
  const ids = messages.map((_, index) => `${completionId}-${index}`)
  const places = [...ids.keys()]
  if (order === 'desc') places.reverse()
  const start = after === undefined ? 0 : places.indexOf(ids.indexOf(after)) + 1
  if (after !== undefined && start === 0) throw listErrors.invalidCursor('after')
  const data = places
    .slice(start, start + limit)
    .flatMap((place) => (messages[place] ? [present(`${completionId}-${place}`, messages[place])] : []))
  return {
    object: 'list',
    data,
    first_id: data.at(0)?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
    has_more: start + limit < places.length,
  }
}

function present(id: string, message: RequestMessage): StoredMessage {
  const { content = null, ...rest } = message
  const parts = Array.isArray(content) ? content : null
  return {
    name: null,
    ...withoutAudio(rest),
    id,
    content: Array.isArray(content) ? null : content,
    content_parts: parts,
  }
}

/** The list shows what was said, not where its sound is. */
function withoutAudio<Message extends object>(message: Message): Omit<Message, 'audio'> {
  const { audio: _, ...rest } = message as Message & { audio?: unknown }
  return rest
}
