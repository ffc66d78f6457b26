// Assistants, their files and their tools as the first form of the interface has them.
import { z } from 'zod'
import {
  AssistantObject,
  CodeInterpreterTool,
  CreateAssistant,
  maxTools,
  toolsOf,
  UpdateAssistant,
} from '../assistants/schema.ts'
import { FunctionName, JsonSchema } from '../chat/completions/tools/schema.ts'

export const maxAssistantFiles = 20
const maxIdLetters = 256

export const Id = z.string().min(1).max(maxIdLetters)

// AST-032
export const ToolV1 = z.discriminatedUnion('type', [
  CodeInterpreterTool,
  z.strictObject({ type: z.literal('retrieval') }),
  z.strictObject({
    type: z.literal('function'),
    function: z.strictObject({
      name: FunctionName,
      description: z.string().optional(),
      parameters: JsonSchema.optional(),
    }),
  }),
])
export type ToolV1 = z.output<typeof ToolV1>

/** No schemas yet: those came with the second form. AST-034 */
export const ResponseFormatV1 = z.union([
  z.enum(['none', 'auto']),
  z.strictObject({ type: z.enum(['text', 'json_object']).default('text') }),
])
export type ResponseFormatV1 = z.output<typeof ResponseFormatV1>

const otherwise = { tools: true, tool_resources: true, response_format: true } as const
const fields = {
  tools: toolsOf(ToolV1, maxTools).optional(),
  file_ids: z.array(Id).max(maxAssistantFiles).optional(),
  response_format: ResponseFormatV1.nullish(),
}

export const CreateAssistantV1 = CreateAssistant.omit(otherwise).extend(fields)
export type CreateAssistantV1 = z.output<typeof CreateAssistantV1>

export const UpdateAssistantV1 = UpdateAssistant.omit(otherwise).extend(fields)
export type UpdateAssistantV1 = z.output<typeof UpdateAssistantV1>

// AST-031
export const AssistantV1 = AssistantObject.omit(otherwise).extend({
  tools: z.array(ToolV1),
  file_ids: z.array(z.string()),
  response_format: ResponseFormatV1,
})
export type AssistantV1 = z.output<typeof AssistantV1>

export const CreateAssistantFile = z.strictObject({ file_id: Id })
export type CreateAssistantFile = z.output<typeof CreateAssistantFile>

export const AssistantFileParams = z.strictObject({ assistant_id: z.string(), file_id: z.string() })

// AST-035
export const AssistantFileObject = z.object({
  id: z.string(),
  object: z.literal('assistant.file'),
  created_at: z.int(),
  assistant_id: z.string(),
})
export type AssistantFileObject = z.output<typeof AssistantFileObject>

// AST-037
export const AssistantFileDeleted = z.object({
  id: z.string(),
  object: z.literal('assistant.file.deleted'),
  deleted: z.literal(true),
})
export type AssistantFileDeleted = z.output<typeof AssistantFileDeleted>
