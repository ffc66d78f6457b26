// Assistants: a model with instructions, tools, and the files and stores that the tools use.
import { z } from 'zod'
import { Metadata } from '../chat/completions/metadata/schema.ts'
import { ResponseFormat } from '../chat/completions/schema.ts'
import { FunctionName, JsonSchema } from '../chat/completions/tools/schema.ts'
import { ChunkingStrategy } from '../vector-stores/files/schema.ts'
import { HybridSearch } from '../vector-stores/ranking/schema.ts'

export const maxTools = 128
export const maxNameLetters = 256
export const maxDescriptionLetters = 512
export const maxInstructionsLetters = 256_000
export const maxCodeInterpreterFiles = 20
const maxVectorStores = 1
const maxVectorStoreFiles = 10_000
const maxSearchResults = 50
const maxIdLetters = 256

const Id = z.string().min(1).max(maxIdLetters)

export const CodeInterpreterTool = z.strictObject({ type: z.literal('code_interpreter') })

const FileSearchTool = z.strictObject({
  type: z.literal('file_search'),
  file_search: z
    .strictObject({
      max_num_results: z.int().min(1).max(maxSearchResults).optional(),
      ranking_options: z
        .strictObject({
          ranker: z.enum(['auto', 'default_2024_08_21']).optional(),
          score_threshold: z.number().min(0).max(1),
          hybrid_search: HybridSearch.optional(),
        })
        .optional(),
    })
    .optional(),
})

const FunctionTool = z.strictObject({
  type: z.literal('function'),
  function: z.strictObject({
    name: FunctionName,
    description: z.string().optional(),
    parameters: JsonSchema.optional(),
    strict: z.boolean().nullable().default(false),
  }),
})

// AST-017
export const AssistantTool = z.discriminatedUnion('type', [CodeInterpreterTool, FileSearchTool, FunctionTool])
export type AssistantTool = z.output<typeof AssistantTool>

/** What a model calls a tool by. */
export const toolName = (tool: { type: string; function?: { name: string } | undefined }): string =>
  tool.function?.name ?? tool.type

/** A list of tools in which each is there once: with two of a name, a model's call would not tell which is meant. */
export const toolsOf = <Tool extends z.ZodType<{ type: string; function?: { name: string } | undefined }>>(
  tool: Tool,
  max: number,
) =>
  z
    .array(tool)
    .max(max)
    .superRefine((tools, context) => {
      const names = tools.map(toolName)
      const repeated = names.find((name, index) => names.indexOf(name) !== index)
      if (repeated === undefined) return
      context.addIssue({ code: 'custom', message: `there is more than one tool named '${repeated}'.` })
    })

const CodeInterpreterFiles = z.strictObject({ file_ids: z.array(Id).max(maxCodeInterpreterFiles).default([]) })

const VectorStoreIds = z.array(Id).max(maxVectorStores)

/** As kept and answered; also what replaces it, tool by tool. AST-018 */
export const ToolResources = z.strictObject({
  code_interpreter: CodeInterpreterFiles.optional(),
  file_search: z.strictObject({ vector_store_ids: VectorStoreIds.default([]) }).optional(),
})
export type ToolResources = z.output<typeof ToolResources>

/** A store to be made together with what it is for. */
const NewVectorStore = z
  .strictObject({
    file_ids: z.array(Id).max(maxVectorStoreFiles).optional(),
    chunking_strategy: ChunkingStrategy.optional(),
    metadata: Metadata.nullish(),
  })
  .superRefine(({ file_ids = [], chunking_strategy }, context) => {
    // `auto` is what files get that come later without a strategy of their own.
    if (chunking_strategy?.type !== 'static' || file_ids.length > 0) return
    const message = 'static chunk sizes need files: give file_ids, or give them with each file that is added later.'
    context.addIssue({ code: 'custom', path: ['chunking_strategy'], message })
  })

const FileSearchInput = z
  .strictObject({
    vector_store_ids: VectorStoreIds.optional(),
    vector_stores: z.array(NewVectorStore).max(maxVectorStores).optional(),
  })
  .superRefine(({ vector_store_ids, vector_stores }, context) => {
    if (vector_store_ids === undefined || vector_stores === undefined) return
    const message = "'vector_store_ids' and 'vector_stores' exclude each other: attach a store, or have one made."
    context.addIssue({ code: 'custom', path: ['vector_stores'], message })
  })

export const ToolResourcesInput = z.strictObject({
  code_interpreter: CodeInterpreterFiles.optional(),
  file_search: FileSearchInput.optional(),
})
export type ToolResourcesInput = z.output<typeof ToolResourcesInput>

// AST-020 AST-021 AST-022
export const AssistantsResponseFormat = z.union([z.literal('auto'), ResponseFormat])
export type AssistantsResponseFormat = z.output<typeof AssistantsResponseFormat>

const fields = {
  name: z.string().max(maxNameLetters).nullish(),
  description: z.string().max(maxDescriptionLetters).nullish(),
  instructions: z.string().max(maxInstructionsLetters).nullish(),
  tools: toolsOf(AssistantTool, maxTools).optional(),
  metadata: Metadata.nullish(),
  temperature: z.number().min(0).max(2).nullish(),
  top_p: z.number().min(0).max(1).nullish(),
  response_format: AssistantsResponseFormat.nullish(),
}

// AST-014 AST-015
export const CreateAssistant = z.strictObject({ model: Id, ...fields, tool_resources: ToolResourcesInput.nullish() })
export type CreateAssistant = z.output<typeof CreateAssistant>

// AST-029
export const UpdateAssistant = z.strictObject({
  model: Id.optional(),
  ...fields,
  tool_resources: ToolResources.nullish(),
})
export type UpdateAssistant = z.output<typeof UpdateAssistant>

export const AssistantParams = z.strictObject({ assistant_id: z.string() })

// AST-016
export const AssistantObject = z.object({
  id: z.string(),
  object: z.literal('assistant'),
  created_at: z.int(),
  name: z.string().nullable(),
  description: z.string().nullable(),
  model: z.string(),
  instructions: z.string().nullable(),
  tools: z.array(AssistantTool),
  tool_resources: ToolResources,
  metadata: Metadata,
  temperature: z.number(),
  top_p: z.number(),
  response_format: AssistantsResponseFormat,
})
export type AssistantObject = z.output<typeof AssistantObject>

// AST-030
export const AssistantDeleted = z.object({
  id: z.string(),
  object: z.literal('assistant.deleted'),
  deleted: z.literal(true),
})
export type AssistantDeleted = z.output<typeof AssistantDeleted>
