// What clients of a realtime session send, in the words of 2024; a later dialect is brought into these first.
import { z } from 'zod'

const maxIdLetters = 512
const maxTextLetters = 4_000_000
const maxTools = 128
const maxPaddingMs = 10_000
const maxAnswerTokens = 4_096
const maxMetadata = 16

export const audioFormats = ['pcm16', 'g711_ulaw', 'g711_alaw'] as const
export const voiceNames = [
  'alloy',
  'ash',
  'ballad',
  'coral',
  'echo',
  'fable',
  'onyx',
  'nova',
  'sage',
  'shimmer',
  'verse',
] as const

const Id = z.string().min(1).max(maxIdLetters)
const Text = z.string().max(maxTextLetters)
const FunctionName = z
  .string()
  .min(1)
  .max(64)
  .regex(/^[a-zA-Z0-9_-]+$/, 'a name has letters, digits, _ and - alone')

const Modalities = z
  .array(z.enum(['text', 'audio']))
  .min(1)
  .max(2)
  .refine((list) => list.includes('text') && new Set(list).size === list.length, {
    error: "supported combinations are ['text'] and ['text', 'audio'].",
  })

const ServerVad = z.strictObject({
  type: z.literal('server_vad'),
  threshold: z.number().min(0).max(1).default(0.5),
  prefix_padding_ms: z.int().min(0).max(maxPaddingMs).default(300),
  silence_duration_ms: z.int().min(0).max(maxPaddingMs).default(500),
  create_response: z.boolean().default(true),
  interrupt_response: z.boolean().default(true),
})

/** Later clients ask for it by themselves. A turn ends by silence here too; eagerness says how long that is. */
const SemanticVad = z.strictObject({
  type: z.literal('semantic_vad'),
  eagerness: z.enum(['low', 'medium', 'high', 'auto']).default('auto'),
  create_response: z.boolean().default(true),
  interrupt_response: z.boolean().default(true),
})

export const TurnDetection = z.discriminatedUnion('type', [ServerVad, SemanticVad])
export type TurnDetection = z.output<typeof TurnDetection>

const Tools = z
  .array(
    z.strictObject({
      type: z.literal('function'),
      name: FunctionName,
      description: Text.optional(),
      parameters: z.record(z.string(), z.unknown()).optional(),
    }),
  )
  .max(maxTools)

const ToolChoice = z.union([
  z.enum(['auto', 'none', 'required']),
  z.strictObject({ type: z.literal('function'), name: FunctionName }),
])

const Transcription = z.strictObject({
  model: z.string().min(1).max(256).default('whisper-1'),
  language: z.string().min(2).max(16).optional(),
  prompt: Text.optional(),
})

const MaxTokens = z.union([z.int().min(1).max(maxAnswerTokens), z.literal('inf')])

/** Speech is answered, or only written down. */
export const sessionKinds = ['conversation', 'transcription'] as const
export type SessionKind = (typeof sessionKinds)[number]

/** All that a session is told; each update changes what it names. */
export const SessionFields = z.strictObject({
  modalities: Modalities,
  instructions: Text,
  voice: z.enum(voiceNames),
  input_audio_format: z.enum(audioFormats),
  output_audio_format: z.enum(audioFormats),
  input_audio_transcription: Transcription.nullable(),
  turn_detection: TurnDetection.nullable(),
  tools: Tools,
  tool_choice: ToolChoice,
  temperature: z.number().min(0.6).max(1.2),
  max_response_output_tokens: MaxTokens,
  /** How fast the voice speaks. */
  speed: z.number().min(0.25).max(1.5),
  /** Of a conversation longer than the model's context: the oldest goes, or the response fails. */
  truncation: z.enum(['auto', 'disabled']),
})
export type SessionFields = z.output<typeof SessionFields>

export const SessionUpdate = SessionFields.partial().extend({
  /** A session keeps its model: naming it again changes nothing. */
  model: z.string().min(1).max(256).optional(),
})
export type SessionUpdate = z.output<typeof SessionUpdate>

const head = {
  id: Id.optional(),
  object: z.literal('realtime.item').optional(),
  /** Of no effect; taken since the items of our own events have it. */
  status: z.enum(['completed', 'incomplete', 'in_progress']).optional(),
}

const InputText = z.strictObject({ type: z.literal('input_text'), text: Text })
const InputAudio = z.strictObject({
  type: z.literal('input_audio'),
  audio: z.string(),
  transcript: Text.nullish(),
})
const SpokenText = z.strictObject({ type: z.literal('text'), text: Text })

const Message = z.strictObject({
  ...head,
  type: z.literal('message'),
  role: z.enum(['user', 'assistant', 'system']),
  content: z.array(z.discriminatedUnion('type', [InputText, InputAudio, SpokenText])).max(100),
})
const FunctionCall = z.strictObject({
  ...head,
  type: z.literal('function_call'),
  call_id: Id.optional(),
  name: FunctionName,
  arguments: Text,
})
const FunctionCallOutput = z.strictObject({
  ...head,
  type: z.literal('function_call_output'),
  call_id: Id,
  output: Text,
})

export const NewItem = z.discriminatedUnion('type', [Message, FunctionCall, FunctionCallOutput])
export type NewItem = z.output<typeof NewItem>

const ItemReference = z.strictObject({ type: z.literal('item_reference'), id: Id })
const ContextItem = z.discriminatedUnion('type', [Message, FunctionCall, FunctionCallOutput, ItemReference])

const responseFields = SessionFields.pick({
  modalities: true,
  instructions: true,
  voice: true,
  output_audio_format: true,
  tools: true,
  tool_choice: true,
  temperature: true,
  max_response_output_tokens: true,
}).partial()

export const ResponseOptions = responseFields.extend({
  max_output_tokens: MaxTokens.optional(),
  /** `none`: the response is not added to the conversation, and may run beside others. */
  conversation: z.enum(['auto', 'none']).optional(),
  metadata: z
    .record(z.string().min(1).max(64), z.string().max(512))
    .refine((pairs) => Object.keys(pairs).length <= maxMetadata, { error: `at most ${maxMetadata} pairs.` })
    .nullish(),
  /** In place of the conversation. */
  input: z.array(ContextItem).max(1_000).optional(),
})
export type ResponseOptions = z.output<typeof ResponseOptions>

const event = <Type extends string, Shape extends z.core.$ZodShape>(type: Type, shape: Shape) =>
  z.strictObject({ event_id: Id.nullish(), type: z.literal(type), ...shape })

export const clientEvents = {
  'session.update': event('session.update', { session: SessionUpdate }),
  'input_audio_buffer.append': event('input_audio_buffer.append', { audio: z.string() }),
  'input_audio_buffer.commit': event('input_audio_buffer.commit', {}),
  'input_audio_buffer.clear': event('input_audio_buffer.clear', {}),
  'conversation.item.create': event('conversation.item.create', {
    previous_item_id: Id.nullish(),
    item: NewItem,
  }),
  'conversation.item.retrieve': event('conversation.item.retrieve', { item_id: Id }),
  'conversation.item.truncate': event('conversation.item.truncate', {
    item_id: Id,
    content_index: z.int().min(0),
    audio_end_ms: z.int().min(0),
  }),
  'conversation.item.delete': event('conversation.item.delete', { item_id: Id }),
  'response.create': event('response.create', { response: ResponseOptions.nullish() }),
  'response.cancel': event('response.cancel', { response_id: Id.nullish() }),
}

export type ClientEvents = { [Type in keyof typeof clientEvents]: z.output<(typeof clientEvents)[Type]> }
export type ClientEvent = ClientEvents[keyof ClientEvents]
