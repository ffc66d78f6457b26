// A conversation as the playground keeps it, and as the API takes it.

export interface ToolCall {
  id: string
  type: 'function'
  function: { name: string; arguments: string }
}

export interface TokenLogprob {
  token: string
  logprob: number
  top_logprobs: { token: string; logprob: number }[]
}

/** Of an answer that has ended. */
export interface Figures {
  promptTokens: number
  tokens: number
  firstMs: number
  /** After the first one. */
  perSecond: number
}

export interface Turn {
  id: number
  role: 'user' | 'assistant' | 'tool'
  content: string
  toolCalls?: ToolCall[]
  /** Of a tool's result. */
  toolCallId?: string
  tokens?: TokenLogprob[]
  /** Of an answer. */
  state?: 'streaming' | 'done' | 'stopped' | 'failed'
  problem?: string
  figures?: Figures
}

export type ChatMessage =
  | { role: 'system' | 'user'; content: string }
  | { role: 'assistant'; content: string | null; tool_calls?: ToolCall[] }
  | { role: 'tool'; content: string; tool_call_id: string }

/** Answers of which nothing came are left out: a model cannot go on from them. */
export function messagesOf(system: string, turns: readonly Turn[]): ChatMessage[] {
  const before: ChatMessage[] = system.trim() === '' ? [] : [{ role: 'system', content: system }]
  const spoken = turns.filter(({ role, content, toolCalls }) => role !== 'assistant' || content !== '' || toolCalls)
  return [...before, ...spoken.map(messageOf)]
}

function messageOf({ role, content, toolCalls, toolCallId }: Turn): ChatMessage {
  if (role === 'user') return { role, content }
  if (role === 'tool') return { role, content, tool_call_id: toolCallId ?? '' }
  return toolCalls ? { role, content: content === '' ? null : content, tool_calls: toolCalls } : { role, content }
}
