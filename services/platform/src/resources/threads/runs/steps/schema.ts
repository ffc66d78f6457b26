// Run steps: what a run did, one after the other.
import { z } from 'zod'
import { Metadata } from '../../../chat/completions/metadata/schema.ts'

/** AST-094 */
export const TokenUsage = z.object({ prompt_tokens: z.int(), completion_tokens: z.int(), total_tokens: z.int() })
export type TokenUsage = z.output<typeof TokenUsage>

const CodeOutput = z.discriminatedUnion('type', [
  z.object({ type: z.literal('logs'), logs: z.string() }),
  z.object({ type: z.literal('image'), image: z.object({ file_id: z.string() }) }),
])
export type CodeOutput = z.output<typeof CodeOutput>

// AST-096
export const CodeCall = z.object({
  id: z.string(),
  type: z.literal('code_interpreter'),
  code_interpreter: z.object({ input: z.string(), outputs: z.array(CodeOutput) }),
})

const SearchResult = z.object({
  file_id: z.string(),
  file_name: z.string(),
  score: z.number(),
  /** Kept always, shown to those who ask with `include`. AST-090 */
  content: z.array(z.object({ type: z.literal('text'), text: z.string() })).optional(),
})

export const SearchCall = z.object({
  id: z.string(),
  type: z.literal('file_search'),
  file_search: z.object({
    ranking_options: z.object({ ranker: z.literal('default_2024_08_21'), score_threshold: z.number() }).optional(),
    results: z.array(SearchResult).optional(),
  }),
})

export const FunctionStepCall = z.object({
  id: z.string(),
  type: z.literal('function'),
  function: z.object({ name: z.string(), arguments: z.string(), output: z.string().nullable() }),
})

/** A call as a step shows it. */
export const StepToolCall = z.discriminatedUnion('type', [CodeCall, SearchCall, FunctionStepCall])
export type StepToolCall = z.output<typeof StepToolCall>

// AST-095
export const MessageCreation = z.object({
  type: z.literal('message_creation'),
  message_creation: z.object({ message_id: z.string() }),
})

const StepDetails = z.discriminatedUnion('type', [
  MessageCreation,
  z.object({ type: z.literal('tool_calls'), tool_calls: z.array(StepToolCall) }),
])
export type StepDetails = z.output<typeof StepDetails>

// AST-097
export const stepStatuses = ['in_progress', 'cancelled', 'failed', 'completed', 'expired'] as const
export type StepStatus = (typeof stepStatuses)[number]

export const StepError = z.object({ code: z.enum(['server_error', 'rate_limit_exceeded']), message: z.string() })
export type StepError = z.output<typeof StepError>

const time = z.int().nullable()

// AST-092, AST-093
export const RunStepObject = z.object({
  id: z.string(),
  object: z.literal('thread.run.step'),
  created_at: z.int(),
  run_id: z.string(),
  assistant_id: z.string(),
  thread_id: z.string(),
  type: z.enum(['message_creation', 'tool_calls']),
  status: z.enum(stepStatuses),
  cancelled_at: time,
  completed_at: time,
  expired_at: time,
  failed_at: time,
  last_error: StepError.nullable(),
  step_details: StepDetails,
  usage: TokenUsage.nullable(),
  metadata: Metadata,
})
export type RunStepObject = z.output<typeof RunStepObject>

/** The one thing that can be asked for besides. AST-090 */
export const searchContent = 'step_details.tool_calls[*].file_search.results[*].content'
export const Included = z.literal(searchContent)

export const StepParams = z.strictObject({ thread_id: z.string(), run_id: z.string(), step_id: z.string() })
