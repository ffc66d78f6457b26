import { z } from 'zod'
import { RequestMessages, TextContent } from './messages/schema.ts'
import { Metadata } from './metadata/schema.ts'
import { samplingFields } from './sampling/schema.ts'
import { FunctionCallChoice, FunctionName, Functions, JsonSchema, ToolChoice, Tools } from './tools/schema.ts'

const maxModelLetters = 256
const maxKeyLetters = 1024

export const reasoningEfforts = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh'] as const
export const verbosities = ['low', 'medium', 'high'] as const

export const ResponseFormat = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('text') }),
  z.strictObject({ type: z.literal('json_object') }),
  z.strictObject({
    type: z.literal('json_schema'),
    json_schema: z.strictObject({
      name: FunctionName,
      description: z.string().optional(),
      schema: JsonSchema.optional(),
      strict: z.boolean().nullish(),
    }),
  }),
])

const AudioOutput = z.strictObject({
  voice: z.enum(['alloy', 'ash', 'ballad', 'coral', 'echo', 'sage', 'shimmer', 'verse']),
  format: z.enum(['wav', 'mp3', 'flac', 'opus', 'pcm16']),
})

/** What clients since December 2024 send: honoured, or refused by whoever cannot. */
const laterFields = {
  reasoning_effort: z.enum(reasoningEfforts).nullish(),
  verbosity: z.enum(verbosities).nullish(),
  /** Beginnings that prompts share are found without it. */
  prompt_cache_key: z.string().max(maxKeyLetters).nullish(),
  prompt_cache_retention: z.enum(['in_memory', 'in-memory']).nullish(),
  /** Takes the place of `user`. */
  safety_identifier: z.string().max(maxKeyLetters).nullish(),
}

export const CreateChatCompletion = z.strictObject({
  model: z.string().min(1).max(maxModelLetters), // INF-041
  messages: RequestMessages, // INF-042
  ...samplingFields,
  max_tokens: z.int().min(1).nullish(),
  max_completion_tokens: z.int().min(1).nullish(),
  logprobs: z.boolean().nullish(),
  top_logprobs: z.int().min(0).max(20).nullish(), // INF-224
  response_format: ResponseFormat.optional(),
  tools: Tools.optional(),
  tool_choice: ToolChoice.optional(),
  parallel_tool_calls: z.boolean().optional(),
  functions: Functions.optional(),
  function_call: FunctionCallChoice.optional(),
  modalities: z
    .array(z.enum(['text', 'audio']))
    .min(1)
    .max(2)
    .nullish(),
  audio: AudioOutput.nullish(),
  prediction: z.strictObject({ type: z.literal('content'), content: TextContent }).nullish(),
  service_tier: z.enum(['auto', 'default']).nullish(), // INF-063
  store: z.boolean().nullish(),
  metadata: Metadata.nullish(),
  ...laterFields,
})
export type CreateChatCompletion = z.infer<typeof CreateChatCompletion>

export const UpdateChatCompletion = z.strictObject({ metadata: Metadata.nullable() })

export const ChatCompletionParams = z.strictObject({ completion_id: z.string() })
