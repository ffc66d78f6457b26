// What clients of a realtime session send. Apart from the session's own settings, and loaded with the first session:
// a server without one should not carry it.
import { z } from 'zod'
import { FunctionName, MaxTokens, SessionFields, SessionUpdate, Text } from './schema.ts'

const maxIdLetters = 512
const maxMetadata = 16

const Id = z.string().min(1).max(maxIdLetters)

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
