// The usage of an answer, complete: what a server leaves out is zero, and what it does not count at all is estimated,
// because a call that costs nothing would be a lie: four letters a token of what was asked, and of what was answered
// one token a piece when it was streamed, else four letters as well.
import type { ChatRequest, ChatUsage } from '../chat.ts'
import { isObject } from './error-body.ts'

const lettersPerToken = 4

export function readUsage(given: unknown): ChatUsage | undefined {
  if (!isObject(given) || !isCount(given.prompt_tokens)) return undefined
  const prompt = given.prompt_tokens
  const completion = count(given.completion_tokens)
  const asked = isObject(given.prompt_tokens_details) ? given.prompt_tokens_details : {}
  const answered = isObject(given.completion_tokens_details) ? given.completion_tokens_details : {}
  return {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: isCount(given.total_tokens) ? given.total_tokens : prompt + completion,
    prompt_tokens_details: { cached_tokens: count(asked.cached_tokens), audio_tokens: count(asked.audio_tokens) },
    completion_tokens_details: {
      reasoning_tokens: count(answered.reasoning_tokens),
      audio_tokens: count(answered.audio_tokens),
      accepted_prediction_tokens: count(answered.accepted_prediction_tokens),
      rejected_prediction_tokens: count(answered.rejected_prediction_tokens),
    },
  }
}

export const estimatedUsage = (promptTokens: number, completionTokens: number): ChatUsage =>
  readUsage({ prompt_tokens: promptTokens, completion_tokens: completionTokens }) as ChatUsage

export const tokensOfLetters = (letters: number): number => Math.ceil(letters / lettersPerToken)

export function tokensOfMessages({ messages, tools }: ChatRequest): number {
  let letters = tools.length > 0 ? JSON.stringify(tools).length : 0
  for (const message of messages) {
    const { content } = message
    if (typeof content === 'string') letters += content.length
    else for (const part of content ?? []) letters += part.type === 'text' ? part.text.length : 0
    if (message.role === 'assistant') {
      for (const call of message.tool_calls ?? []) letters += call.function.name.length + call.function.arguments.length
    }
  }
  return tokensOfLetters(letters)
}

export const tokensOfPrompt = (prompt: string | readonly number[]): number =>
  typeof prompt === 'string' ? tokensOfLetters(prompt.length) : prompt.length

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0
const count = (value: unknown): number => (isCount(value) ? value : 0)
