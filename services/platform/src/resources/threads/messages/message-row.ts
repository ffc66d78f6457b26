// Messages as they are kept, and as they are answered.
import { contentOfItem } from '../../conversations/items/message-content.ts'
import type { MessageRow } from './item-row.ts'
import type { CreateMessage, MessageContent, MessageObject } from './schema.ts'

type NewMessage = Pick<CreateMessage, 'role' | 'attachments' | 'metadata'> & {
  content: CreateMessage['content'] | []
}

/** One that is complete as it comes. */
export function newRow(
  object: Pick<MessageRow, 'id' | 'position' | 'created_at'>,
  threadId: string,
  { role, content, attachments, metadata }: NewMessage,
): MessageRow {
  return {
    ...object,
    thread_id: threadId,
    role,
    status: 'completed',
    content: JSON.stringify(contentOf(content)),
    attachments: JSON.stringify(attachments ?? []),
    metadata: JSON.stringify(metadata ?? {}),
    assistant_id: null,
    run_id: null,
    incomplete_reason: null,
    completed_at: object.created_at,
    incomplete_at: null,
    ...{ type: 'message', item: null, work: null, source: null },
  }
}

function contentOf(content: NewMessage['content']): MessageContent[] {
  if (typeof content === 'string') return [textPart(content)]
  return content.map((part) => (part.type === 'text' ? textPart(part.text) : part))
}

const textPart = (value: string): MessageContent => ({ type: 'text', text: { value, annotations: [] } })

export const present = (row: MessageRow): MessageObject => ({
  id: row.id,
  object: 'thread.message',
  created_at: row.created_at,
  thread_id: row.thread_id,
  status: row.status,
  incomplete_details: row.incomplete_reason === null ? null : { reason: row.incomplete_reason },
  completed_at: row.completed_at,
  incomplete_at: row.incomplete_at,
  role: row.role === 'assistant' ? row.role : 'user',
  content: row.item === null ? JSON.parse(row.content) : contentOfItem(JSON.parse(row.item)),
  assistant_id: row.assistant_id,
  run_id: row.run_id,
  attachments: JSON.parse(row.attachments),
  metadata: JSON.parse(row.metadata),
})
