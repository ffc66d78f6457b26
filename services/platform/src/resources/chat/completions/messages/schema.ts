// Messages as callers send them: every role, every kind of content. Most of a conversation is what a model or a client's
// helper said before, sent back with whatever they added (`parsed`, `annotations`, `reasoning_content`, `index`): what is
// not known here is passed over, while parameters of the request itself stay strict.
import { z } from 'zod'

const maxMessages = 2048
const maxParts = 2048
const maxToolCalls = 128
const maxNameLetters = 64

/** Clients that send a message back as an object of theirs write out what it has not. */
const nullAsAbsent = <Schema extends z.ZodType>(schema: Schema) =>
  schema.nullish().transform((value) => value ?? undefined)

const TextPart = z.object({ type: z.literal('text'), text: z.string() })

const RefusalPart = z.object({ type: z.literal('refusal'), refusal: z.string() })

const ImagePart = z.object({
  type: z.literal('image_url'),
  image_url: z.object({
    /** A `data:` URL, or where the image lies. */
    url: z.string().min(1),
    detail: z.enum(['auto', 'low', 'high']).optional(),
  }),
})

const AudioPart = z.object({
  type: z.literal('input_audio'),
  input_audio: z.object({ data: z.string().min(1), format: z.enum(['wav', 'mp3']) }),
})

/** A string, or a list of text parts. */
export const TextContent = z.union([z.string(), z.array(TextPart).min(1).max(maxParts)])

const UserPart = z.discriminatedUnion('type', [TextPart, ImagePart, AudioPart])

const AssistantPart = z.discriminatedUnion('type', [TextPart, RefusalPart])

/** Who speaks, among several with the same role. */
const ParticipantName = z
  .string()
  .min(1)
  .max(maxNameLetters)
  .regex(
    /^[^\s<|\\/>]+$/,
    "string does not match pattern. Expected a string that matches the pattern '^[^\\s<|\\\\/>]+$'.",
  )

export const FunctionCall = z.object({
  name: z.string().min(1).max(maxNameLetters),
  /** JSON, as the model wrote it. */
  arguments: z.string(),
})

const ToolCall = z.object({
  id: z.string().min(1).max(maxNameLetters),
  type: z.literal('function'),
  function: FunctionCall,
})

const SystemMessage = z.object({
  role: z.literal('system'),
  content: TextContent,
  name: nullAsAbsent(ParticipantName),
})

const DeveloperMessage = z.object({
  role: z.literal('developer'),
  content: TextContent,
  name: nullAsAbsent(ParticipantName),
})

const UserMessage = z.object({
  role: z.literal('user'),
  content: z.union([z.string(), z.array(UserPart).min(1).max(maxParts)]),
  name: nullAsAbsent(ParticipantName),
})

const AssistantMessage = z.object({
  role: z.literal('assistant'),
  content: z.union([z.string(), z.array(AssistantPart).min(1).max(maxParts)]).nullish(),
  refusal: z.string().nullish(),
  name: nullAsAbsent(ParticipantName),
  audio: nullAsAbsent(z.object({ id: z.string().min(1).max(256) })),
  /** No calls may be said as an empty list: openai 4.77 writes one into every message it has parsed. */
  tool_calls: nullAsAbsent(z.array(ToolCall).max(maxToolCalls)).transform((calls) =>
    calls?.length ? calls : undefined,
  ),
  /** Deprecated: `tool_calls` came after it. */
  function_call: nullAsAbsent(FunctionCall),
})

const ToolMessage = z.object({
  role: z.literal('tool'),
  tool_call_id: z.string().min(1).max(maxNameLetters),
  content: TextContent,
})

/** Deprecated: `tool` came after it. */
const FunctionMessage = z.object({
  role: z.literal('function'),
  name: z.string().min(1).max(maxNameLetters),
  content: z.string().nullable(),
})

export const RequestMessage = z.discriminatedUnion('role', [
  SystemMessage,
  DeveloperMessage,
  UserMessage,
  AssistantMessage,
  ToolMessage,
  FunctionMessage,
])
export type RequestMessage = z.infer<typeof RequestMessage>

export const RequestMessages = z.array(RequestMessage).min(1).max(maxMessages)
