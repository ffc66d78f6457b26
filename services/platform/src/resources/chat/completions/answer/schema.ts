// Completions as they are answered and kept.
import { z } from 'zod'
import { RequestMessage } from '../messages/schema.ts'
import { Metadata } from '../metadata/schema.ts'

const TopLogprob = z.object({ token: z.string(), logprob: z.number(), bytes: z.array(z.int()).nullable() })

const TokenLogprobs = z.array(TopLogprob.extend({ top_logprobs: z.array(TopLogprob) })).nullable()

const FunctionCall = z.object({ name: z.string(), arguments: z.string() })

const FinishReason = z.enum(['stop', 'length', 'tool_calls', 'content_filter', 'function_call'])

const Choice = z.object({
  index: z.int(),
  message: z.object({
    role: z.literal('assistant'),
    content: z.string().nullable(),
    refusal: z.string().nullable(),
    tool_calls: z.array(z.object({ id: z.string(), type: z.literal('function'), function: FunctionCall })).optional(),
    function_call: FunctionCall.optional(),
    audio: z.object({ id: z.string(), expires_at: z.int(), data: z.string(), transcript: z.string() }).optional(),
  }),
  logprobs: z.object({ content: TokenLogprobs, refusal: TokenLogprobs }).nullable(),
  finish_reason: FinishReason,
})
export type Choice = z.infer<typeof Choice>

// INF-038, INF-039, INF-040
export const Usage = z.object({
  prompt_tokens: z.int(),
  completion_tokens: z.int(),
  total_tokens: z.int(),
  prompt_tokens_details: z.object({ cached_tokens: z.int(), audio_tokens: z.int() }),
  completion_tokens_details: z.object({
    reasoning_tokens: z.int(),
    audio_tokens: z.int(),
    accepted_prediction_tokens: z.int(),
    rejected_prediction_tokens: z.int(),
  }),
})

// INF-028
export const ChatCompletion = z.object({
  id: z.string(),
  object: z.literal('chat.completion'),
  created: z.int(),
  model: z.string(),
  choices: z.array(Choice),
  usage: Usage,
  system_fingerprint: z.string(),
  service_tier: z.literal('default').optional(),
  metadata: Metadata.optional(),
})
export type ChatCompletion = z.infer<typeof ChatCompletion>

export const StoredChatCompletion = ChatCompletion.extend({ metadata: Metadata })
export type StoredChatCompletion = z.infer<typeof StoredChatCompletion>

export const ChatCompletionDeleted = z.object({
  object: z.literal('chat.completion.deleted'),
  id: z.string(),
  deleted: z.literal(true),
})

/** A message of the request; parts apart from text, as clients expect them. */
export const StoredMessage = z.object({
  id: z.string(),
  role: z.enum(RequestMessage.options.map(({ shape }) => shape.role.value)),
  content: z.string().nullable(),
  content_parts: z.array(z.looseObject({ type: z.string() })).nullable(),
  name: z.string().nullable(),
  refusal: z.string().nullish(),
  tool_calls: z.array(z.looseObject({ id: z.string() })).optional(),
  tool_call_id: z.string().optional(),
  function_call: FunctionCall.nullish(),
})
export type StoredMessage = z.infer<typeof StoredMessage>
