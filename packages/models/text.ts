// The text port: plain continuation of a prompt, without roles.
import type { Call } from './call.ts'
import type { ChatUsage } from './chat.ts'
import type { Sampling } from './sampling.ts'

export interface TextRequest {
  prompt: string | number[]
  /** Text that comes after the gap to fill. */
  suffix: string | undefined
  /** The answer begins with the prompt. */
  echo: boolean
  choices: number
  /** That many are made, and the `choices` with the highest mean log probability kept. */
  bestOf: number
  maxTokens: number
  sampling: Sampling
  /** Absent: none. 0 to 5. */
  topLogprobs: number | undefined
  user: string | undefined
}

export interface TextLogprobs {
  tokens: string[]
  /** The first token of an echoed prompt has none. */
  token_logprobs: (number | null)[]
  top_logprobs: (Record<string, number> | null)[] | null
  text_offset: number[]
}

export interface TextAnswer {
  model: string
  system_fingerprint: string
  choices: TextChoice[]
  usage: ChatUsage
}

export interface TextChoice {
  index: number
  text: string
  logprobs: TextLogprobs | null
  finish_reason: 'stop' | 'length' | 'content_filter'
}

export interface TextDelta {
  model: string
  system_fingerprint: string
  choices: (Omit<TextChoice, 'finish_reason'> & { finish_reason: TextChoice['finish_reason'] | null })[]
  /** In the last step, which has no choices. */
  usage?: ChatUsage
}

export interface TextModel {
  complete(request: TextRequest, call: Call): Promise<TextAnswer>
  stream(request: TextRequest, call: Call): AsyncIterable<TextDelta>
}
