// What a response has said and done so far, as the model reads it in the next turn.
import type { ToolCall } from '@atoll/models/chat'
import type { OwnMessage } from '../../../tool-loop/conversation.ts'
import { asksSomething } from '../../../tool-loop/question.ts'
import { queryOf } from '../../../tool-loop/tools/passages/query-argument.ts'
import { plainText } from '../../conversations/items/chat-messages.ts'
import type { ItemWork, KeptItem } from '../../conversations/items/kept-item.ts'

export function ownMessages(output: readonly KeptItem[]): OwnMessage[] {
  const own: OwnMessage[] = []
  let words: string | null = null
  let made: ItemWork[] = []
  const flush = (): void => {
    if (made.length > 0) own.push(...answerWithCalls(words, made))
    else if (words !== null) own.push({ message: { role: 'assistant', content: words }, canShrink: false })
    words = null
    made = []
  }
  for (const { item, work } of output) {
    if (work?.turn === 0) own.push(...foundBefore(work))
    else if (item.type === 'message') {
      flush()
      words = plainText(item.content)
    } else if (work !== undefined) {
      if (made[0] !== undefined && made[0].turn !== work.turn) flush()
      made.push(work)
    }
  }
  flush()
  return own
}

function answerWithCalls(content: string | null, made: readonly ItemWork[]): OwnMessage[] {
  const tool_calls = made.map(
    ({ callId, name, arguments: args }): ToolCall => ({
      id: callId,
      type: 'function',
      function: { name, arguments: args },
    }),
  )
  const outputs = made.map(
    ({ callId, output = '' }): OwnMessage => ({
      message: { role: 'tool', tool_call_id: callId, content: output },
      canShrink: true,
    }),
  )
  return [{ message: { role: 'assistant', content, tool_calls }, canShrink: false }, ...outputs]
}

/** Who has asked for something that is not there is to be told so; a greeting needs no files. */
function foundBefore({ callId, arguments: args, output, passages = [] }: ItemWork): OwnMessage[] {
  if (output === undefined || (passages.length === 0 && !asksSomething(queryOf(args) ?? ''))) return []
  return [{ message: { role: 'tool', tool_call_id: callId, content: output }, canShrink: true, isContext: true }]
}
