// Makes a conversation as short as the model's context, or the caller's budget, asks for.
import type { ChatMessage, FunctionTool } from '@atoll/models/chat'
import type { Conversation, OwnMessage } from './conversation.ts'
import { withContext } from './tools/passages.ts'
import { roughTokens } from './tools/rough-tokens.ts'

const tokensPerMessage = 5
const tokensPerImage = 600
/** Results of tools are not cut below this. */
const minOutputLetters = 200
const cutMark = '\n[cut: there is no room for the rest]'

const nothingSaid: ChatMessage = { role: 'user', content: '' }

export interface Fitted {
  messages: ChatMessage[]
  readonly tokens: number
  /** As many as asked for. */
  fits: boolean
}

interface FitOptions {
  tools: readonly FunctionTool[]
  /** In tokens, roughly counted. */
  limit: number
  /** The caller has said which messages count: none of them is left out. */
  keepThread: boolean
}

export function fitConversation(conversation: Conversation, { tools, limit, keepThread }: FitOptions): Fitted {
  const { instructions } = conversation
  const system: ChatMessage[] = instructions === '' ? [] : [{ role: 'system', content: instructions }]
  const toolTokens = tools.length === 0 ? 0 : roughTokens(JSON.stringify(tools))
  let thread = conversation.thread
  let own = conversation.own
  const compose = (): Fitted => {
    const context = own.flatMap(({ message, isContext }) => (isContext ? [String(message.content)] : []))
    const done = own.flatMap(({ message, isContext }) => (isContext ? [] : [message]))
    const said = [...system, ...withContext(thread, context), ...done]
    const messages = said.length === 0 ? [nothingSaid] : said
    return measured(messages, toolTokens, limit)
  }
  let fitted = compose()
  if (fitted.fits) return fitted
  if (!keepThread) {
    thread = newestOf(thread, fitted.tokens - limit)
    fitted = compose()
  }
  while (!fitted.fits) {
    const shorter = shortenLongest(own)
    if (shorter === undefined) return fitted
    own = shorter
    fitted = compose()
  }
  return fitted
}

/** Tokens are counted when somebody asks for them: what is surely short enough need not be. */
function measured(messages: ChatMessage[], toolTokens: number, limit: number): Fitted {
  let counted: number | undefined
  const count = (): number => {
    counted ??= toolTokens + messages.reduce((sum, message) => sum + tokensOf(message), 0)
    return counted
  }
  const most = toolTokens + messages.reduce((sum, one) => sum + mostTokensOf(one), 0)
  return {
    messages,
    get tokens() {
      return count()
    },
    fits: most <= limit || count() <= limit,
  }
}

/** Not less than are counted: a letter has two tokens at most. */
function mostTokensOf(message: ChatMessage): number {
  const { content } = message
  const isPlain = content == null || typeof content === 'string'
  if (!isPlain || (message.role === 'assistant' && message.tool_calls !== undefined)) return tokensOf(message)
  return tokensPerMessage + 2 * (content?.length ?? 0)
}

/** Without the oldest ones that make up so many tokens; the newest always stays, for it is the question. */
function newestOf(thread: ChatMessage[], excess: number): ChatMessage[] {
  let freed = 0
  let from = 0
  while (freed < excess && from < thread.length - 1) freed += tokensOf(thread[from++] as ChatMessage)
  // Results without the calls that asked for them are no conversation.
  while (thread[from]?.role === 'tool' && from < thread.length - 1) from++
  return thread.slice(from)
}

function shortenLongest(own: readonly OwnMessage[]): OwnMessage[] | undefined {
  let longest = -1
  let letters = minOutputLetters
  for (const [index, { message, canShrink }] of own.entries()) {
    if (!canShrink || typeof message.content !== 'string' || message.content.length <= letters) continue
    longest = index
    letters = message.content.length
  }
  if (longest < 0) return undefined
  return own.map((one, index) => (index === longest ? shortened(one) : one))
}

function shortened(one: OwnMessage): OwnMessage {
  const { message } = one
  if (message.role !== 'tool' || typeof message.content !== 'string') return one
  const text = message.content.endsWith(cutMark) ? message.content.slice(0, -cutMark.length) : message.content
  const kept = text.slice(0, Math.max(minOutputLetters - cutMark.length, Math.floor(text.length * 0.75))).toWellFormed()
  return { ...one, message: { ...message, content: kept + cutMark } }
}

function tokensOf(message: ChatMessage): number {
  const calls = message.role === 'assistant' && message.tool_calls ? roughTokens(JSON.stringify(message.tool_calls)) : 0
  return tokensPerMessage + calls + contentTokens(message.content)
}

function contentTokens(content: ChatMessage['content']): number {
  if (content == null) return 0
  if (typeof content === 'string') return roughTokens(content)
  return content.reduce((sum, part) => sum + (part.type === 'text' ? roughTokens(part.text) : tokensPerImage), 0)
}
