// Whether the messages of a request make a conversation: what was called gets its answers, in time.
import { chatErrors } from '../../../errors/completions.ts'
import type { RequestMessage } from './messages/schema.ts'

export function checkConversation(messages: readonly RequestMessage[]): void {
  /** Calls of the latest assistant message: all of them, and those without an answer yet. */
  let called: Set<string> | undefined
  let open: Set<string> | undefined
  for (const [index, message] of messages.entries()) {
    if (message.role === 'tool') {
      if (called === undefined) throw chatErrors.toolMessageWithoutCall(`messages[${index}].role`)
      if (!called.has(message.tool_call_id)) {
        throw chatErrors.unknownToolCall(`messages[${index}].tool_call_id`, message.tool_call_id)
      }
      open?.delete(message.tool_call_id)
      continue
    }
    refuseOpenCalls(open, index)
    called = message.role === 'assistant' ? callsOf(message, index) : undefined
    open = called && new Set(called)
  }
  refuseOpenCalls(open, messages.length - 1)
}

function refuseOpenCalls(open: Set<string> | undefined, index: number): void {
  if (open !== undefined && open.size > 0) throw chatErrors.unansweredToolCalls(`messages[${index}].role`, [...open])
}

function callsOf(message: Extract<RequestMessage, { role: 'assistant' }>, index: number): Set<string> | undefined {
  const { content, refusal, audio, tool_calls, function_call } = message
  if (audio == null && content == null && refusal == null && tool_calls === undefined && function_call == null) {
    throw chatErrors.emptyAssistantMessage(`messages[${index}].content`)
  }
  return tool_calls && new Set(tool_calls.map(({ id }) => id))
}

/** The word must be there for a model to know what is wanted of it. INF-060 */
export const asksForJson = (messages: readonly RequestMessage[]): boolean =>
  messages.some(({ content }) => {
    if (content == null) return false
    if (typeof content === 'string') return /json/i.test(content)
    return content.some((part) => part.type === 'text' && /json/i.test(part.text))
  })
