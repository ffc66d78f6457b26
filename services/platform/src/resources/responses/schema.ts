// Responses: one answer of a model, with all that it did for it.
import { z } from 'zod'
import { Metadata } from '../chat/completions/metadata/schema.ts'
import { reasoningEfforts, verbosities } from '../chat/completions/schema.ts'
import { FunctionName, JsonSchema } from '../chat/completions/tools/schema.ts'
import { InputItem, ShownItem } from '../conversations/items/schema.ts'
import { ResponseTool, ResponseToolChoice, ResponseTools } from './tools/schema.ts'

const maxIdLetters = 256
const maxItems = 2048
const maxInputLetters = 10_485_760
const maxInstructionsLetters = 1_048_576
const maxKeyLetters = 1024
const minOutputTokens = 16
const maxToolCalls = 1000
const maxClientEntries = 64
const maxClientLetters = 16_384

const Id = z.string().min(1).max(maxIdLetters)

export const TextFormat = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('text') }),
  z.strictObject({ type: z.literal('json_object') }),
  z.strictObject({
    type: z.literal('json_schema'),
    name: FunctionName,
    description: z.string().nullish(),
    schema: JsonSchema,
    strict: z.boolean().nullish(),
  }),
])
export type TextFormat = z.output<typeof TextFormat>

const TextConfig = z.strictObject({
  format: TextFormat.nullish(),
  verbosity: z.enum(verbosities).nullish(),
})

export const includable = [
  'file_search_call.results',
  'web_search_call.results',
  'web_search_call.action.sources',
  'message.input_image.image_url',
  'computer_call_output.output.image_url',
  'code_interpreter_call.outputs',
  'reasoning.encrypted_content',
  'message.output_text.logprobs',
] as const
export const Includable = z.enum(includable)

const Reasoning = z.strictObject({
  effort: z.enum(reasoningEfforts).nullish(),
  summary: z.enum(['auto', 'concise', 'detailed']).nullish(),
  generate_summary: z.enum(['auto', 'concise', 'detailed']).nullish(),
})

/** What a client tells about itself. */
const ClientMetadata = z
  .record(z.string().max(maxKeyLetters), z.string().max(maxClientLetters))
  .refine((entries) => Object.keys(entries).length <= maxClientEntries, `at most ${maxClientEntries} entries`)

const askedFields = {
  model: Id,
  input: z.union([z.string().max(maxInputLetters), z.array(InputItem).max(maxItems)]).optional(),
  instructions: z.string().max(maxInstructionsLetters).nullish(),
  previous_response_id: Id.nullish(),
  conversation: z.union([Id, z.strictObject({ id: Id })]).nullish(),
  tools: ResponseTools.nullish(),
  tool_choice: ResponseToolChoice.nullish(),
  parallel_tool_calls: z.boolean().nullish(),
  text: TextConfig.nullish(),
  reasoning: Reasoning.nullish(),
  truncation: z.enum(['auto', 'disabled']).nullish(),
}

export const CreateResponse = z.strictObject({
  ...askedFields,
  background: z.boolean().nullish(),
  client_metadata: ClientMetadata.nullish(),
  include: z.array(Includable).max(includable.length).nullish(),
  max_output_tokens: z.int().min(minOutputTokens).nullish(),
  max_tool_calls: z.int().min(1).max(maxToolCalls).nullish(),
  metadata: Metadata.nullish(),
  store: z.boolean().nullish(),
  stream: z.boolean().nullish(),
  stream_options: z.strictObject({ include_obfuscation: z.boolean().optional() }).nullish(),
  temperature: z.number().min(0).max(2).nullish(),
  top_p: z.number().min(0).max(1).nullish(),
  top_logprobs: z.int().min(0).max(20).nullish(),
  service_tier: z.enum(['auto', 'default']).nullish(),
  prompt_cache_key: z.string().max(maxKeyLetters).nullish(),
  prompt_cache_retention: z.enum(['in_memory', 'in-memory']).nullish(),
  safety_identifier: z.string().max(maxKeyLetters).nullish(),
  user: z.string().max(maxKeyLetters).nullish(),
})
export type CreateResponse = z.output<typeof CreateResponse>

export const CountInputTokens = z.strictObject(askedFields)
export type CountInputTokens = z.output<typeof CountInputTokens>

export const statuses = ['queued', 'in_progress', 'completed', 'incomplete', 'failed', 'cancelled'] as const
export type ResponseStatus = (typeof statuses)[number]

export const incompleteReasons = ['max_output_tokens', 'content_filter'] as const
export type IncompleteReason = (typeof incompleteReasons)[number]

const Usage = z.object({
  input_tokens: z.int(),
  input_tokens_details: z.object({ cached_tokens: z.int(), cache_write_tokens: z.int() }),
  output_tokens: z.int(),
  output_tokens_details: z.object({ reasoning_tokens: z.int() }),
  total_tokens: z.int(),
})
export type Usage = z.output<typeof Usage>

const ResponseError = z.object({
  code: z.enum(['server_error', 'rate_limit_exceeded', 'invalid_prompt']),
  message: z.string(),
})

export const ResponseObject = z.object({
  id: z.string(),
  object: z.literal('response'),
  created_at: z.int(),
  completed_at: z.int().nullable(),
  status: z.enum(statuses),
  background: z.boolean(),
  error: ResponseError.nullable(),
  incomplete_details: z.object({ reason: z.enum(incompleteReasons) }).nullable(),
  instructions: z.string().nullable(),
  max_output_tokens: z.int().nullable(),
  max_tool_calls: z.int().nullable(),
  model: z.string(),
  output: z.array(ShownItem),
  parallel_tool_calls: z.boolean(),
  previous_response_id: z.string().nullable(),
  conversation: z.object({ id: z.string() }).nullable(),
  prompt_cache_key: z.string().nullable(),
  reasoning: z.object({ effort: z.string().nullable(), summary: z.string().nullable() }),
  safety_identifier: z.string().nullable(),
  service_tier: z.literal('default'),
  store: z.boolean(),
  temperature: z.number(),
  text: z.object({ format: TextFormat, verbosity: z.string() }),
  tool_choice: ResponseToolChoice,
  tools: z.array(ResponseTool),
  top_logprobs: z.int(),
  top_p: z.number(),
  truncation: z.enum(['auto', 'disabled']),
  usage: Usage.nullable(),
  user: z.string().nullable(),
  metadata: Metadata,
})
export type ResponseObject = z.output<typeof ResponseObject>

export const ResponseDeleted = z.object({ id: z.string(), object: z.literal('response'), deleted: z.literal(true) })

export const InputTokens = z.object({ object: z.literal('response.input_tokens'), input_tokens: z.int() })

export const ResponseParams = z.strictObject({ response_id: z.string() })
