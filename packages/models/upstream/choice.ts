// What the choices of whole and of streamed answers have in common, made complete.
import type { ChatAudio, ChoiceLogprobs, FinishReason, TokenLogprob, TopLogprob } from '../chat.ts'
import { ModelProblem } from '../problem.ts'
import { isObject } from './error-body.ts'
import { senseless } from './problems.ts'

/** Other servers' words for the same. */
const finishReasons: Readonly<Record<string, FinishReason>> = {
  stop: 'stop',
  length: 'length',
  tool_calls: 'tool_calls',
  content_filter: 'content_filter',
  function_call: 'tool_calls',
  max_tokens: 'length',
  safety: 'content_filter',
}

/** Unknown words tell that the model came to its end by itself: `eos`, `end_turn`, `stop_sequence`. */
export const finishReason = (given: string): FinishReason =>
  (Object.hasOwn(finishReasons, given) ? finishReasons[given] : undefined) ?? 'stop'

export function choicesOf(answer: Record<string, unknown>): Record<string, unknown>[] {
  const { choices } = answer
  if (!Array.isArray(choices) || !choices.every(isObject)) throw senseless('sent an answer without choices')
  return choices
}

/** Undefined where there is nothing spoken. */
export function readAudio(given: unknown): Partial<ChatAudio> | undefined {
  if (!isObject(given)) return undefined
  const audio: Partial<ChatAudio> = {}
  if (typeof given.id === 'string') audio.id = given.id
  if (typeof given.expires_at === 'number') audio.expires_at = given.expires_at
  if (typeof given.data === 'string') audio.data = given.data
  if (typeof given.transcript === 'string') audio.transcript = given.transcript
  return audio
}

export const textOr = <Other>(value: unknown, other: Other): string | Other =>
  typeof value === 'string' ? value : other

export function readLogprobs(given: unknown): ChoiceLogprobs | null {
  if (!isObject(given)) return null
  return { content: tokens(given.content), refusal: tokens(given.refusal) }
}

/** Servers that know a parameter not at all tend to answer without it, silently. */
export const unsupported = (param: string): ModelProblem =>
  new ModelProblem(`The model's server does not support ${param}: its answer came without.`, {
    kind: 'unsupported',
    param,
  })

function tokens(given: unknown): TokenLogprob[] | null {
  if (!Array.isArray(given)) return null
  return given.filter(isObject).map((entry) => ({
    ...token(entry),
    top_logprobs: Array.isArray(entry.top_logprobs) ? entry.top_logprobs.filter(isObject).map(token) : [],
  }))
}

function token({ token: text, logprob, bytes }: Record<string, unknown>): TopLogprob {
  if (typeof text !== 'string' || typeof logprob !== 'number') throw senseless('sent log probabilities without tokens')
  return { token: text, logprob, bytes: Array.isArray(bytes) ? (bytes as number[]) : null }
}
