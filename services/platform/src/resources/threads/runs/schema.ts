// Runs: an assistant at work on a thread.
import { z } from 'zod'
import {
  AssistantsResponseFormat,
  AssistantTool,
  maxInstructionsLetters,
  ToolResources,
  toolsOf,
} from '../../assistants/schema.ts'
import { Metadata } from '../../chat/completions/metadata/schema.ts'
import { FunctionName } from '../../chat/completions/tools/schema.ts'
import { CreateMessage } from '../messages/schema.ts'
import { CreateThread } from '../schema.ts'
import { Included, TokenUsage } from './steps/schema.ts'

export const maxRunTools = 20
const maxIdLetters = 256
export const maxAdditionalMessages = 1000
const minBudgetTokens = 256
const maxToolOutputs = 128
const maxIncluded = 16
const maxToolOutputLetters = 512 * 1024

/** With `auto` and a number, no more than these messages are considered, and of them what fits. AST-075 */
const TruncationStrategy = z
  .strictObject({ type: z.enum(['auto', 'last_messages']), last_messages: z.int().min(1).nullish() })
  .superRefine(({ type, last_messages }, context) => {
    if (type === 'auto' || last_messages != null) return
    const message = "the type 'last_messages' needs the number of messages."
    context.addIssue({ code: 'custom', path: ['last_messages'], message })
  })

// AST-065
const NamedToolChoice = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('function'), function: z.strictObject({ name: FunctionName }) }),
  z.strictObject({ type: z.literal('file_search') }),
  z.strictObject({ type: z.literal('code_interpreter') }),
])
export const RunToolChoice = z.union([z.enum(['none', 'auto', 'required']), NamedToolChoice])
export type RunToolChoice = z.output<typeof RunToolChoice>

const budget = z.int().min(minBudgetTokens).nullish()

const sharedFields = {
  assistant_id: z.string().min(1).max(maxIdLetters),
  model: z.string().min(1).max(maxIdLetters).nullish(),
  instructions: z.string().max(maxInstructionsLetters).nullish(),
  tools: toolsOf(AssistantTool, maxRunTools).nullish(),
  metadata: Metadata.nullish(),
  temperature: z.number().min(0).max(2).nullish(),
  top_p: z.number().min(0).max(1).nullish(),
  stream: z.boolean().nullish(),
  max_prompt_tokens: budget,
  max_completion_tokens: budget,
  truncation_strategy: TruncationStrategy.nullish(),
  tool_choice: RunToolChoice.nullish(),
  parallel_tool_calls: z.boolean().optional(),
  response_format: AssistantsResponseFormat.nullish(),
}

export const CreateRun = z.strictObject({
  ...sharedFields,
  additional_instructions: z.string().max(maxInstructionsLetters).nullish(),
  additional_messages: z.array(CreateMessage).max(maxAdditionalMessages).nullish(),
  /** Where openai-python 1.57 puts what others say in the query. */
  include: z.array(Included).max(maxIncluded).nullish(),
})
export type CreateRun = z.output<typeof CreateRun>

export const CreateThreadAndRun = z.strictObject({
  ...sharedFields,
  thread: CreateThread.nullish(),
  /** In place of the assistant's, for this run. */
  tool_resources: ToolResources.nullish(),
})
export type CreateThreadAndRun = z.output<typeof CreateThreadAndRun>

export const UpdateRun = z.strictObject({ metadata: Metadata.nullish() })
export type UpdateRun = z.output<typeof UpdateRun>

// AST-080
export const SubmitToolOutputs = z.strictObject({
  tool_outputs: z
    .array(
      z.strictObject({
        tool_call_id: z.string().min(1).max(maxIdLetters),
        output: z.string().max(maxToolOutputLetters).default(''),
      }),
    )
    .max(maxToolOutputs),
  stream: z.boolean().nullish(),
})
export type SubmitToolOutputs = z.output<typeof SubmitToolOutputs>

// AST-078
export const runStatuses = [
  'queued',
  'in_progress',
  'requires_action',
  'cancelling',
  'cancelled',
  'failed',
  'completed',
  'incomplete',
  'expired',
] as const
export type RunStatus = (typeof runStatuses)[number]

export const RunError = z.object({
  code: z.enum(['server_error', 'rate_limit_exceeded', 'invalid_prompt']),
  message: z.string(),
})
export type RunError = z.output<typeof RunError>

export const incompleteReasons = ['max_completion_tokens', 'max_prompt_tokens'] as const
export type IncompleteReason = (typeof incompleteReasons)[number]

// AST-079
const RequiredAction = z.object({
  type: z.literal('submit_tool_outputs'),
  submit_tool_outputs: z.object({
    tool_calls: z.array(
      z.object({
        id: z.string(),
        type: z.literal('function'),
        function: z.object({ name: z.string(), arguments: z.string() }),
      }),
    ),
  }),
})
export type RequiredAction = z.output<typeof RequiredAction>

const time = z.int().nullable()

// AST-072 to AST-077
export const RunObject = z.object({
  id: z.string(),
  object: z.literal('thread.run'),
  created_at: z.int(),
  assistant_id: z.string(),
  thread_id: z.string(),
  status: z.enum(runStatuses),
  started_at: time,
  expires_at: time,
  cancelled_at: time,
  failed_at: time,
  completed_at: time,
  required_action: RequiredAction.nullable(),
  last_error: RunError.nullable(),
  model: z.string(),
  instructions: z.string(),
  tools: z.array(AssistantTool),
  tool_resources: ToolResources,
  metadata: Metadata,
  temperature: z.number().nullable(),
  top_p: z.number().nullable(),
  max_completion_tokens: z.int().nullable(),
  max_prompt_tokens: z.int().nullable(),
  truncation_strategy: z.object({ type: z.enum(['auto', 'last_messages']), last_messages: z.int().nullable() }),
  incomplete_details: z.object({ reason: z.enum(incompleteReasons) }).nullable(),
  usage: TokenUsage.nullable(),
  response_format: AssistantsResponseFormat,
  tool_choice: RunToolChoice,
  parallel_tool_calls: z.boolean(),
})
export type RunObject = z.output<typeof RunObject>

export const RunParams = z.strictObject({ thread_id: z.string(), run_id: z.string() })
export const ThreadParams = z.strictObject({ thread_id: z.string() })
