// Runs and their steps as the first form of the interface has them.
import { z } from 'zod'
import { toolsOf } from '../assistants/schema.ts'
import { FunctionName } from '../chat/completions/tools/schema.ts'
import {
  CreateRun,
  CreateThreadAndRun,
  maxAdditionalMessages,
  maxRunTools,
  RunObject,
  runStatuses,
} from '../threads/runs/schema.ts'
import { CodeCall, FunctionStepCall, MessageCreation, RunStepObject } from '../threads/runs/steps/schema.ts'
import { CreateMessageV1, CreateThreadV1 } from './message-schema.ts'
import { ResponseFormatV1, ToolV1 } from './schema.ts'

// AST-065
export const ToolChoiceV1 = z.union([
  z.enum(['none', 'auto']),
  z.discriminatedUnion('type', [
    z.strictObject({ type: z.literal('function'), function: z.strictObject({ name: FunctionName }) }),
    z.strictObject({ type: z.literal('retrieval') }),
    z.strictObject({ type: z.literal('code_interpreter') }),
  ]),
])
export type ToolChoiceV1 = z.output<typeof ToolChoiceV1>

const otherwise = { tools: true, tool_choice: true, response_format: true, parallel_tool_calls: true } as const
const fields = {
  tools: toolsOf(ToolV1, maxRunTools).nullish(),
  tool_choice: ToolChoiceV1.nullish(),
  response_format: ResponseFormatV1.nullish(),
}

// AST-061 to AST-064
export const CreateRunV1 = CreateRun.omit({ ...otherwise, additional_messages: true, include: true }).extend({
  ...fields,
  additional_messages: z.array(CreateMessageV1).max(maxAdditionalMessages).nullish(),
})
export type CreateRunV1 = z.output<typeof CreateRunV1>

// AST-067
export const CreateThreadAndRunV1 = CreateThreadAndRun.omit({
  ...otherwise,
  thread: true,
  tool_resources: true,
}).extend({ ...fields, thread: CreateThreadV1.nullish() })
export type CreateThreadAndRunV1 = z.output<typeof CreateThreadAndRunV1>

/** This form knows no `incomplete`. */
export const runStatusesV1 = runStatuses.filter((status) => status !== 'incomplete')
export type RunStatusV1 = (typeof runStatusesV1)[number]

// AST-077
export const RunV1 = RunObject.omit({ ...otherwise, tool_resources: true, status: true }).extend({
  status: z.enum(runStatusesV1),
  tools: z.array(ToolV1),
  file_ids: z.array(z.string()),
  tool_choice: ToolChoiceV1,
  response_format: ResponseFormatV1,
})
export type RunV1 = z.output<typeof RunV1>

const RetrievalCall = z.object({ id: z.string(), type: z.literal('retrieval'), retrieval: z.object({}) })

export const StepToolCallV1 = z.discriminatedUnion('type', [CodeCall, RetrievalCall, FunctionStepCall])
export type StepToolCallV1 = z.output<typeof StepToolCallV1>

export const RunStepV1 = RunStepObject.omit({ step_details: true }).extend({
  step_details: z.discriminatedUnion('type', [
    MessageCreation,
    z.object({ type: z.literal('tool_calls'), tool_calls: z.array(StepToolCallV1) }),
  ]),
})
export type RunStepV1 = z.output<typeof RunStepV1>
