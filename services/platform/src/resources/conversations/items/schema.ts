// Items: what conversations and responses are made of. Most are sent back as a model or a client's helper gave them, with
// whatever they added: what is not known here is passed over, while parameters of requests stay strict.
import { z } from 'zod'

const maxParts = 2048
const maxItemTextLetters = 10_485_760
const maxIdLetters = 256
const maxNameLetters = 128
const maxListed = 2048

const Id = z.string().min(1).max(maxIdLetters)
const ownId = { id: Id.nullish() }
const Text = z.string().max(maxItemTextLetters)
const Name = z.string().min(1).max(maxNameLetters)
const Detail = z.enum(['auto', 'low', 'high', 'original'])
const Status = z.enum(['in_progress', 'completed', 'incomplete'])
const status = { status: Status.nullish() }

export const InputText = z.object({ type: z.literal('input_text'), text: Text })

export const InputImage = z.object({
  type: z.literal('input_image'),
  image_url: z
    .string()
    .max(64 * 1024 * 1024)
    .nullish(),
  file_id: Id.nullish(),
  detail: Detail.nullish(),
})

export const InputFile = z.object({
  type: z.literal('input_file'),
  file_id: Id.nullish(),
  filename: z.string().max(512).nullish(),
  file_data: z
    .string()
    .max(64 * 1024 * 1024)
    .nullish(),
  file_url: z.string().max(8192).nullish(),
})

const InputAudio = z.object({
  type: z.literal('input_audio'),
  input_audio: z.object({ data: z.string().min(1), format: z.enum(['wav', 'mp3']) }),
})

const Citation = z.discriminatedUnion('type', [
  z.object({ type: z.literal('file_citation'), file_id: z.string(), filename: z.string().optional(), index: z.int() }),
  z.object({ type: z.literal('file_path'), file_id: z.string(), index: z.int() }),
  z.object({
    type: z.literal('container_file_citation'),
    ...{ container_id: z.string(), file_id: z.string(), filename: z.string().optional() },
    ...{ start_index: z.int(), end_index: z.int() },
  }),
  z.object({
    type: z.literal('url_citation'),
    ...{ url: z.string(), title: z.string().nullish(), start_index: z.int(), end_index: z.int() },
  }),
])
export type Citation = z.output<typeof Citation>

const TopLogprob = z.object({ token: z.string(), logprob: z.number(), bytes: z.array(z.int()).nullish() })
const Logprob = TopLogprob.extend({ top_logprobs: z.array(TopLogprob) })

export const OutputText = z.object({
  type: z.literal('output_text'),
  text: Text,
  annotations: z.array(Citation).max(maxListed).nullish(),
  logprobs: z.array(Logprob).nullish(),
})

export const Refusal = z.object({ type: z.literal('refusal'), refusal: Text })

const Part = z.discriminatedUnion('type', [InputText, InputImage, InputFile, InputAudio, OutputText, Refusal])
export type Part = z.output<typeof Part>

export const roles = ['user', 'assistant', 'system', 'developer'] as const

const Message = z.object({
  type: z.literal('message'),
  ...ownId,
  role: z.enum(roles),
  content: z.union([Text, z.array(Part).max(maxParts)]),
  ...status,
  phase: z.enum(['commentary', 'final_answer']).nullish(),
})

const FunctionCall = z.object({
  type: z.literal('function_call'),
  ...ownId,
  call_id: Id,
  name: Name,
  namespace: Name.nullish(),
  arguments: Text,
  ...status,
})

const FunctionCallOutput = z.object({
  type: z.literal('function_call_output'),
  ...ownId,
  call_id: Id,
  output: z.union([Text, z.array(z.discriminatedUnion('type', [InputText, InputImage, InputFile])).max(maxParts)]),
  ...status,
})

const Attributes = z.record(z.string().max(64), z.union([z.string(), z.number(), z.boolean()]))

const FileSearchCall = z.object({
  type: z.literal('file_search_call'),
  ...ownId,
  status: z.string().max(64).nullish(),
  queries: z.array(Text).max(maxListed),
  results: z
    .array(
      z.object({
        file_id: z.string().nullish(),
        filename: z.string().nullish(),
        score: z.number().nullish(),
        text: Text.nullish(),
        attributes: Attributes.nullish(),
      }),
    )
    .max(maxListed)
    .nullish(),
})

const CodeInterpreterCall = z.object({
  type: z.literal('code_interpreter_call'),
  ...ownId,
  status: z.string().max(64).nullish(),
  code: Text.nullish(),
  container_id: Id,
  outputs: z
    .array(
      z.discriminatedUnion('type', [
        z.object({ type: z.literal('logs'), logs: Text }),
        z.object({ type: z.literal('image'), url: z.string().max(64 * 1024 * 1024) }),
      ]),
    )
    .max(maxListed)
    .nullish(),
})

const ImageGenerationCall = z.object({
  type: z.literal('image_generation_call'),
  ...ownId,
  status: z.string().max(64).nullish(),
  result: z.string().nullish(),
  revised_prompt: Text.nullish(),
  size: z.string().max(64).nullish(),
  quality: z.string().max(64).nullish(),
  background: z.string().max(64).nullish(),
  output_format: z.string().max(64).nullish(),
  action: z.string().max(64).nullish(),
})

/** What a model thought; ours do not, and nobody here can read what others keep to themselves. */
const Reasoning = z.object({
  type: z.literal('reasoning'),
  ...ownId,
  summary: z
    .array(z.object({ type: z.literal('summary_text'), text: Text }))
    .max(maxListed)
    .nullish(),
  content: z
    .array(z.object({ type: z.literal('reasoning_text'), text: Text }))
    .max(maxListed)
    .nullish(),
  encrypted_content: Text.nullish(),
  ...status,
})

const McpListTools = z.object({
  type: z.literal('mcp_list_tools'),
  ...ownId,
  server_label: Name,
  tools: z
    .array(
      z.object({
        name: Name,
        description: Text.nullish(),
        input_schema: z.unknown().optional(),
        annotations: z.unknown().optional(),
      }),
    )
    .max(maxListed),
  error: z.unknown().optional(),
})

const McpCall = z.object({
  type: z.literal('mcp_call'),
  ...ownId,
  server_label: Name,
  name: Name,
  arguments: Text,
  output: Text.nullish(),
  error: z.unknown().optional(),
  approval_request_id: Id.nullish(),
  status: z.string().max(64).nullish(),
})

const McpApprovalRequest = z.object({
  type: z.literal('mcp_approval_request'),
  ...ownId,
  server_label: Name,
  name: Name,
  arguments: Text,
})

const McpApprovalResponse = z.object({
  type: z.literal('mcp_approval_response'),
  ...ownId,
  approval_request_id: Id,
  approve: z.boolean(),
  reason: Text.nullish(),
})

const ItemReference = z.object({ type: z.literal('item_reference'), id: Id })

const AnyItem = z.discriminatedUnion('type', [
  Message,
  FunctionCall,
  FunctionCallOutput,
  FileSearchCall,
  CodeInterpreterCall,
  ImageGenerationCall,
  Reasoning,
  McpListTools,
  McpCall,
  McpApprovalRequest,
  McpApprovalResponse,
  ItemReference,
])

/** A message may leave out that it is one, and so may a reference. */
function withType(item: unknown): unknown {
  if (typeof item !== 'object' || item === null || Array.isArray(item)) return item
  const { type, role, id } = item as Record<string, unknown>
  if (type != null) return item
  if (role !== undefined) return { ...item, type: 'message' }
  return id === undefined ? item : { ...item, type: 'item_reference' }
}

/** An item as callers send it. */
export const InputItem = z.preprocess(withType, AnyItem)
export type InputItem = z.output<typeof AnyItem>
export type Given<Type extends InputItem['type']> = Extract<InputItem, { type: Type }>

/** An item as it is kept and shown: with an id of ours, and messages in parts. */
export type Item = (Exclude<InputItem, { type: 'item_reference' | 'message' }> & { id: string }) | MessageItem
export type MessageItem = {
  type: 'message'
  id: string
  role: (typeof roles)[number]
  status: z.output<typeof Status>
  content: Part[]
  phase?: 'commentary' | 'final_answer' | null | undefined
}

/** For answers: what exactly stands in an item, its type says. */
export const ShownItem = z.looseObject({ type: z.string(), id: z.string() })
