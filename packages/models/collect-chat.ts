// A streamed answer as a whole one.
import type { ChatAnswer, ChatAudio, ChatChoice, ChatDelta, ChoiceDelta, TokenLogprob, ToolCallDelta } from './chat.ts'

export async function collectChat(deltas: AsyncIterable<ChatDelta>): Promise<ChatAnswer> {
  const choices: ChatChoice[] = []
  let head: Pick<ChatAnswer, 'model' | 'system_fingerprint'> = { model: '', system_fingerprint: '' }
  let usage: ChatAnswer['usage'] | undefined
  for await (const delta of deltas) {
    head = { model: delta.model, system_fingerprint: delta.system_fingerprint }
    usage = delta.usage ?? usage
    for (const piece of delta.choices) addTo(choices, piece)
  }
  if (usage === undefined) throw new Error('a stream ended without its usage')
  return { ...head, choices: choices.sort((a, b) => a.index - b.index), usage }
}

function addTo(choices: ChatChoice[], piece: ChoiceDelta): void {
  const choice = choiceOf(choices, piece.index)
  const { message } = choice
  const { content, refusal, tool_calls = [] } = piece.delta
  // An empty beginning is no content: an answer of tool calls alone has none.
  if (content) message.content = (message.content ?? '') + content
  if (refusal) message.refusal = (message.refusal ?? '') + refusal
  for (const call of tool_calls) addCall(message, call)
  if (piece.delta.audio !== undefined) message.audio = joinedAudio(message.audio, piece.delta.audio)
  if (piece.logprobs !== null) {
    choice.logprobs ??= { content: null, refusal: null }
    choice.logprobs.content = joined(choice.logprobs.content, piece.logprobs.content)
    choice.logprobs.refusal = joined(choice.logprobs.refusal, piece.logprobs.refusal)
  }
  if (piece.finish_reason === null) return
  choice.finish_reason = piece.finish_reason
  if (message.tool_calls === undefined && message.refusal === null && message.audio === undefined)
    message.content ??= ''
}

function choiceOf(choices: ChatChoice[], index: number): ChatChoice {
  const known = choices.find((choice) => choice.index === index)
  if (known !== undefined) return known
  const message = { role: 'assistant' as const, content: null, refusal: null }
  const choice: ChatChoice = { index, message, logprobs: null, finish_reason: 'stop' }
  choices.push(choice)
  return choice
}

function addCall(message: ChatChoice['message'], piece: ToolCallDelta): void {
  message.tool_calls ??= []
  const call = message.tool_calls[piece.index]
  const { name = '', arguments: text = '' } = piece.function ?? {}
  if (call === undefined) {
    message.tool_calls[piece.index] = { id: piece.id ?? '', type: 'function', function: { name, arguments: text } }
    return
  }
  call.function.name += name
  call.function.arguments += text
}

function joinedAudio(known: ChatAudio | undefined, piece: Partial<ChatAudio>): ChatAudio {
  const { id = '', expires_at = 0, data = '', transcript = '' } = known ?? {}
  const bytes = [data, piece.data ?? ''].map((text) => Buffer.from(text, 'base64'))
  return {
    id: piece.id ?? id,
    expires_at: piece.expires_at ?? expires_at,
    data: Buffer.concat(bytes).toString('base64'),
    transcript: transcript + (piece.transcript ?? ''),
  }
}

const joined = (known: TokenLogprob[] | null, more: TokenLogprob[] | null): TokenLogprob[] | null =>
  more === null ? known : [...(known ?? []), ...more]
