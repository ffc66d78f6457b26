// `functions` and `function_call` are what tools were called before. Requests become tools, answers become what such
// a caller reads. INF-077, INF-078
import type { ChatChoice, ChatMessage, ChoiceDelta, FunctionTool, ToolChoice } from '@atoll/models/chat'
import { chatErrors } from '../../../errors/completions.ts'
import type { Choice } from './answer/schema.ts'
import type { RequestMessage } from './messages/schema.ts'
import type { CreateChatCompletion } from './schema.ts'

export const usesFunctions = (body: CreateChatCompletion): boolean =>
  body.functions !== undefined || body.function_call !== undefined

export function toolsOfFunctions(body: CreateChatCompletion): { tools: FunctionTool[]; toolChoice: ToolChoice } {
  const { functions, function_call: choice } = body
  if (functions === undefined) {
    if (choice !== 'none') throw chatErrors.onlyWith('function_call', 'functions')
    return { tools: [], toolChoice: 'none' }
  }
  if (typeof choice === 'object' && !functions.some(({ name }) => name === choice.name)) {
    throw chatErrors.toolChoiceNotFound('function_call', choice.name, 'functions')
  }
  return { tools: functions, toolChoice: choice ?? 'auto' }
}

const isLegacy = (message: RequestMessage): boolean =>
  message.role === 'function' || (message.role === 'assistant' && message.function_call != null)

/** The messages as models take them; most requests have nothing to change. */
export function withoutFunctions(messages: RequestMessage[]): ChatMessage[] {
  return messages.some(isLegacy) ? translate(messages) : (messages as ChatMessage[])
}

function translate(messages: readonly RequestMessage[]): ChatMessage[] {
  /** The latest call, which had no id of its own. */
  let call: { id: string; name: string } | undefined
  return messages.map((message, index): ChatMessage => {
    if (message.role === 'function') {
      if (call?.name !== message.name) {
        throw chatErrors.functionMessageWithoutCall(`messages[${index}].name`, message.name)
      }
      return { role: 'tool', tool_call_id: call.id, content: message.content ?? '' }
    }
    if (message.role !== 'assistant') return message
    const { function_call, audio: _, ...rest } = message
    if (function_call == null) return rest
    call = { id: `call_${index}`, name: function_call.name }
    const own = { id: call.id, type: 'function' as const, function: function_call }
    return { ...rest, tool_calls: [...(rest.tool_calls ?? []), own] }
  })
}

export function functionCallChoice(choice: ChatChoice): Choice {
  const { tool_calls, ...message } = choice.message
  const call = tool_calls?.[0]
  if (call === undefined) return choice
  return { ...choice, message: { ...message, function_call: call.function }, finish_reason: functionReason(choice) }
}

type FunctionCallDelta = Omit<ChoiceDelta, 'delta' | 'finish_reason'> & {
  delta: Omit<ChoiceDelta['delta'], 'tool_calls'> & { function_call?: { name?: string; arguments?: string } }
  finish_reason: Choice['finish_reason'] | null
}

export function functionCallDelta(choice: ChoiceDelta): FunctionCallDelta {
  const { tool_calls, ...delta } = choice.delta
  const call = tool_calls?.[0]?.function
  const finish_reason = choice.finish_reason === null ? null : functionReason({ finish_reason: choice.finish_reason })
  return { ...choice, delta: call === undefined ? delta : { ...delta, function_call: call }, finish_reason }
}

const functionReason = ({ finish_reason }: Pick<ChatChoice, 'finish_reason'>): Choice['finish_reason'] =>
  finish_reason === 'tool_calls' ? 'function_call' : finish_reason
