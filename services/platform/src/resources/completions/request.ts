// From what a caller asked to what a model is asked: one request for each prompt.
import type { TextRequest } from '@atoll/models/text'
import { completionErrors } from '../../errors/completions.ts'
import { checkStreamOptions, samplingOf } from '../chat/completions/sampling/sampling.ts'
import { estimateAnswerTokens } from '../chat/completions/token-estimate.ts'
import type { CreateCompletion, Prompt } from './schema.ts'

const defaultMaxTokens = 16
/** Where a document begins. */
const defaultPrompt = '<|endoftext|>'
/** Of all prompts together, those of `best_of` that are thrown away included. */
const maxChoices = 2048
const lettersPerToken = 4

export function toTextRequests(body: CreateCompletion): TextRequest[] {
  checkStreamOptions(body)
  const choices = body.n ?? 1
  const bestOf = body.best_of ?? choices
  if (bestOf < choices) throw completionErrors.bestOfBelowN(bestOf, choices)
  if (body.stream === true && bestOf > choices) throw completionErrors.bestOfStreamed()
  const prompts = promptsOf(body.prompt ?? defaultPrompt)
  if (prompts.length * bestOf > maxChoices) {
    throw completionErrors.tooManyChoices(prompts.length * bestOf, maxChoices)
  }
  const shared = {
    suffix: body.suffix ?? undefined,
    echo: body.echo ?? false,
    choices,
    bestOf,
    maxTokens: body.max_tokens ?? defaultMaxTokens,
    sampling: samplingOf(body),
    topLogprobs: body.logprobs ?? undefined,
    user: body.user,
  }
  return prompts.map((prompt) => ({ ...shared, prompt }))
}

function promptsOf(prompt: Prompt): TextRequest['prompt'][] {
  if (typeof prompt === 'string') return [prompt]
  return isTokens(prompt) ? [prompt] : prompt
}

const isTokens = (prompt: Exclude<Prompt, string>): prompt is number[] => typeof prompt[0] === 'number'

export function estimateTokens(requests: readonly TextRequest[]): { prompt: number; all: number } {
  let prompt = 0
  let answer = 0
  for (const { prompt: text, maxTokens, bestOf } of requests) {
    prompt += typeof text === 'string' ? Math.ceil(text.length / lettersPerToken) : text.length
    answer += estimateAnswerTokens(maxTokens, bestOf)
  }
  return { prompt, all: prompt + answer }
}
