// Messages as callers send them: every role, every kind of content.
import { z } from 'zod'

const maxMessages = 2048
const maxParts = 2048
const maxToolCalls = 128
const maxNameLetters = 64

const TextPart = z.strictObject({ type: z.literal('text'), text: z.string() })

const RefusalPart = z.strictObject({ type: z.literal('refusal'), refusal: z.string() })

const ImagePart = z.strictObject({
  type: z.literal('image_url'),
  image_url: z.strictObject({
    /** A `data:` URL, or where the image lies. */
    url: z.string().min(1),
    detail: z.enum(['auto', 'low', 'high']).optional(),
  }),
})

const AudioPart = z.strictObject({
  type: z.literal('input_audio'),
  input_audio: z.strictObject({ data: z.string().min(1), format: z.enum(['wav', 'mp3']) }),
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

export const FunctionCall = z.strictObject({
  name: z.string().min(1).max(maxNameLetters),
  /** JSON, as the model wrote it. */
  arguments: z.string(),
})

const ToolCall = z.strictObject({
  id: z.string().min(1).max(maxNameLetters),
  type: z.literal('function'),
  function: FunctionCall,
})

const SystemMessage = z.strictObject({
  role: z.literal('system'),
  content: TextContent,
  name: ParticipantName.optional(),
})

const DeveloperMessage = z.strictObject({
  role: z.literal('developer'),
  content: TextContent,
  name: ParticipantName.optional(),
})

const UserMessage = z.strictObject({
  role: z.literal('user'),
  content: z.union([z.string(), z.array(UserPart).min(1).max(maxParts)]),
  name: ParticipantName.optional(),
})

const AssistantMessage = z.strictObject({
  role: z.literal('assistant'),
  content: z.union([z.string(), z.array(AssistantPart).min(1).max(maxParts)]).nullish(),
  refusal: z.string().nullish(),
  name: ParticipantName.optional(),
  audio: z.strictObject({ id: z.string().min(1).max(256) }).nullish(),
  tool_calls: z.array(ToolCall).min(1).max(maxToolCalls).optional(),
  /** Deprecated: `tool_calls` came after it. */
  function_call: FunctionCall.nullish(),
})

const ToolMessage = z.strictObject({
  role: z.literal('tool'),
  tool_call_id: z.string().min(1).max(maxNameLetters),
  content: TextContent,
})

/** Deprecated: `tool` came after it. */
const FunctionMessage = z.strictObject({
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
