// The conversation as the chat model reads it.
import type { ChatMessage } from '@atoll/models/chat'
import type { CallItem, Item, MessageItem, Part } from './items.ts'

/** Of speech in which no words were found. */
const inaudible = '(The user said something that could not be understood.)'
/** Of a function that has not answered yet: a call without an answer is refused by many models. */
const unanswered = '(There is no output yet.)'

export function chatMessages(instructions: string, items: readonly Item[]): ChatMessage[] {
  const messages: ChatMessage[] = instructions === '' ? [] : [{ role: 'system', content: instructions }]
  for (const item of items) {
    if (item.type === 'message') addMessage(messages, item)
    // Outputs stand behind their calls, wherever they came.
    else if (item.type === 'function_call') addCall(messages, item, outputOf(items, item.call_id))
  }
  return messages
}

function addMessage(messages: ChatMessage[], { role, content }: MessageItem): void {
  const text = content.map(wordsOf).join('\n')
  // Nothing is left of an answer that was cut at its beginning.
  if (role === 'assistant' && text === '') return
  messages.push({ role, content: text })
}

function wordsOf(part: Part): string {
  if (part.type === 'input_audio') return part.transcript || inaudible
  return part.type === 'audio' ? part.transcript : part.text
}

const outputOf = (items: readonly Item[], callId: string): string =>
  items
    .flatMap((item) => (item.type === 'function_call_output' && item.call_id === callId ? [item.output] : []))
    .at(0) ?? unanswered

function addCall(messages: ChatMessage[], { call_id, name, arguments: text }: CallItem, output: string): void {
  const call = { id: call_id, type: 'function' as const, function: { name, arguments: text } }
  const last = messages.at(-1)
  // Words and a call of one answer belong together.
  if (last?.role === 'assistant' && last.tool_calls === undefined) last.tool_calls = [call]
  else messages.push({ role: 'assistant', content: null, tool_calls: [call] })
  messages.push({ role: 'tool', tool_call_id: call_id, content: output })
}

/** Without its oldest quarter; undefined when nothing more can go. What the user said last stays. */
export function withoutOldest(messages: readonly ChatMessage[]): ChatMessage[] | undefined {
  const system = messages[0]?.role === 'system' ? messages.slice(0, 1) : []
  const rest = messages.slice(system.length)
  if (rest.length < 2) return undefined
  let dropped = Math.max(1, Math.floor(rest.length / 4))
  // An output without its call means nothing.
  while (dropped < rest.length - 1 && rest[dropped]?.role === 'tool') dropped += 1
  return [...system, ...rest.slice(dropped)]
}
