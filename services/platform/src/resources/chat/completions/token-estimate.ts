// How many tokens a request is likely to use, before any tokenizer has seen it: for the token limit.
import type { ChatRequest } from '@atoll/models/chat'

const lettersPerToken = 4
const tokensPerMessage = 4
const tokensPerImage = 512
/** Of base64. */
const lettersPerAudioToken = 2000
/** Per choice, where the caller named no limit, and where a large one was named. */
const likelyAnswerTokens = 256
const maxAnswerTokens = 4096

export function estimatePromptTokens({ messages, tools }: Pick<ChatRequest, 'messages' | 'tools'>): number {
  let letters = 0
  let tokens = messages.length * tokensPerMessage
  for (const { content } of messages) {
    if (typeof content === 'string') letters += content.length
    else if (content != null) {
      for (const part of content) {
        if (part.type === 'text') letters += part.text.length
        else if (part.type === 'image_url') tokens += tokensPerImage
        else if (part.type === 'input_audio') tokens += part.input_audio.data.length / lettersPerAudioToken
      }
    }
  }
  if (tools.length > 0) letters += JSON.stringify(tools).length
  return Math.ceil(tokens + letters / lettersPerToken)
}

/** The most the answer is likely to need, all choices together. */
export const estimateAnswerTokens = (maxTokens: number | undefined, choices: number): number =>
  Math.min(maxTokens ?? likelyAnswerTokens, maxAnswerTokens) * choices
