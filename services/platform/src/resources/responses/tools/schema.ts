// Tools of a response, and how the model is told which to use. What is known and not to be had here is refused in words.
import { z } from 'zod'
import { noCustomTools, withRefusals } from '../../../conventions/refused/schema.ts'
import { JsonSchema } from '../../chat/completions/tools/schema.ts'
import { imageSizes } from '../../images/schema.ts'
import { SearchFilter } from '../../vector-stores/files/attributes/schema.ts'
import { HybridSearch } from '../../vector-stores/ranking/schema.ts'
import { McpTool } from './mcp/schema.ts'
import { refusedTools } from './refused/schema.ts'

const maxTools = 128
const maxNameLetters = 64
const maxIdLetters = 256
const maxVectorStores = 10
const maxSearchResults = 50
const maxCodeFiles = 20
const maxAllowedTools = 128

const Id = z.string().min(1).max(maxIdLetters)
const FunctionName = z
  .string()
  .min(1)
  .max(maxNameLetters)
  .regex(
    /^[a-zA-Z0-9_-]+$/,
    "string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.",
  )

const FunctionTool = z.strictObject({
  type: z.literal('function'),
  name: FunctionName,
  description: z.string().nullish(),
  parameters: JsonSchema.nullish(),
  strict: z.boolean().nullish(),
})

/** Functions in a group. What the hosted service does with their calls besides, nobody does here. */
const NamespaceTool = z.strictObject({
  type: z.literal('namespace'),
  name: FunctionName,
  description: z.string(),
  tools: z
    .array(withRefusals({ custom: noCustomTools }, z.discriminatedUnion('type', [FunctionTool])))
    .min(1)
    .max(maxTools),
})

const FileSearchTool = z.strictObject({
  type: z.literal('file_search'),
  vector_store_ids: z.array(Id).min(1).max(maxVectorStores),
  max_num_results: z.int().min(1).max(maxSearchResults).nullish(),
  ranking_options: z
    .strictObject({
      ranker: z.enum(['auto', 'default_2024_08_21', 'default-2024-11-15']).nullish(),
      score_threshold: z.number().min(0).max(1).nullish(),
      hybrid_search: HybridSearch.nullish(),
    })
    .nullish(),
  filters: SearchFilter.nullish(),
})

const CodeInterpreterTool = z.strictObject({
  type: z.literal('code_interpreter'),
  container: z.union([
    Id,
    z.strictObject({ type: z.literal('auto'), file_ids: z.array(Id).max(maxCodeFiles).nullish() }),
  ]),
})

/** Of what later models offer, what the models that draw here can do. */
const ImageGenerationTool = z.strictObject({
  type: z.literal('image_generation'),
  model: z.string().min(1).max(maxIdLetters).nullish(),
  size: z.enum(['auto', ...imageSizes]).nullish(),
  quality: z.enum(['auto', 'low', 'medium', 'high', 'standard', 'hd']).nullish(),
  output_format: z.literal('png').nullish(),
  background: z.enum(['auto', 'opaque']).nullish(),
  moderation: z.literal('auto').nullish(),
  action: z.enum(['auto', 'generate']).nullish(),
  partial_images: z.literal(0).nullish(),
})

export const ResponseTool = withRefusals(
  refusedTools,
  z.discriminatedUnion('type', [
    FunctionTool,
    NamespaceTool,
    FileSearchTool,
    CodeInterpreterTool,
    ImageGenerationTool,
    McpTool,
  ]),
)
export type ResponseTool = z.output<typeof ResponseTool>

export const ResponseTools = z.array(ResponseTool).max(maxTools)

const namedTool = z.looseObject({
  type: z.string().max(maxIdLetters),
  name: z.string().max(maxIdLetters).optional(),
  server_label: z.string().max(maxIdLetters).optional(),
})

const NamedChoice = withRefusals(
  refusedTools,
  z.discriminatedUnion('type', [
    z.strictObject({ type: z.literal('function'), name: FunctionName }),
    z.strictObject({ type: z.literal('file_search') }),
    z.strictObject({ type: z.literal('code_interpreter') }),
    z.strictObject({ type: z.literal('image_generation') }),
    z.strictObject({
      type: z.literal('mcp'),
      server_label: z.string().max(maxIdLetters),
      name: z.string().max(maxIdLetters),
    }),
    z.strictObject({
      type: z.literal('allowed_tools'),
      mode: z.enum(['auto', 'required']),
      tools: z.array(namedTool).min(1).max(maxAllowedTools),
    }),
  ]),
)

export const ResponseToolChoice = z.union([z.enum(['none', 'auto', 'required']), NamedChoice])
export type ResponseToolChoice = z.output<typeof ResponseToolChoice>
