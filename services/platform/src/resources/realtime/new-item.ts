// An item that a client adds: checked against the conversation, with what it leaves out.
import type { Ids } from '@atoll/kernel/ids/ids'
import { realtimeErrors } from '../../errors/realtime.ts'
import { type AudioFormat, msOf } from './audio/formats.ts'
import type { NewItem } from './client-events.ts'
import type { Conversation } from './conversation.ts'
import { decodeAudio } from './decode-audio.ts'
import type { Item, Part } from './items.ts'

interface Surroundings {
  ids: Ids
  conversation: Conversation
  /** In which sound comes. */
  format: AudioFormat
  /** Besides the conversation, where calls may stand that are answered. */
  others?: readonly { type: string; call_id?: string | undefined }[]
}

const allowedContent = {
  user: ['input_text', 'input_audio'],
  system: ['input_text'],
  assistant: ['text'], // AST-153
} as const

type NewMessage = Extract<NewItem, { type: 'message' }>

export function itemOf(given: NewItem, { ids, conversation, format, others = [] }: Surroundings): Item {
  const id = given.id ?? ids.next('item_')
  if (conversation.has(id)) throw realtimeErrors.itemExists(id)
  const status = 'completed'
  switch (given.type) {
    case 'message':
      return { id, status, type: 'message', role: given.role, content: contentOf(given, format) }
    case 'function_call': {
      const { call_id = ids.next('call_'), name, arguments: text } = given
      return { id, status, type: 'function_call', call_id, name, arguments: text }
    }
    case 'function_call_output': {
      const { call_id, output } = given
      const isCalled = (item: { type: string; call_id?: string | undefined }): boolean =>
        item.type === 'function_call' && item.call_id === call_id
      if (!conversation.items.some(isCalled) && !others.some(isCalled)) throw realtimeErrors.noSuchCall(call_id)
      return { id, status, type: 'function_call_output', call_id, output }
    }
  }
}

function contentOf({ role, content }: NewMessage, format: AudioFormat): Part[] {
  const allowed: readonly string[] = allowedContent[role]
  return content.map((part, index): Part => {
    if (!allowed.includes(part.type)) throw realtimeErrors.wrongContent(role, allowed, index)
    if (part.type !== 'input_audio') return part
    const clip = { format, bytes: decodeAudio(part.audio, `item.content[${index}].audio`) }
    return { type: 'input_audio', clips: [clip], ms: msOf(clip), transcript: part.transcript ?? null }
  })
}
