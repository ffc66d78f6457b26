// Threads and messages as the first form of the interface has them.
import { z } from 'zod'
import { Metadata } from '../chat/completions/metadata/schema.ts'
import { MessageObject, maxTextLetters } from '../threads/messages/schema.ts'
import { maxInitialMessages, ThreadObject } from '../threads/schema.ts'
import { Id } from './schema.ts'

const maxMessageFiles = 10

// AST-050 AST-051
export const CreateMessageV1 = z.strictObject({
  role: z.enum(['user', 'assistant']),
  content: z.string().min(1).max(maxTextLetters),
  file_ids: z.array(Id).max(maxMessageFiles).optional(),
  metadata: Metadata.nullish(),
})
export type CreateMessageV1 = z.output<typeof CreateMessageV1>

const span = { text: z.string(), start_index: z.int().min(0), end_index: z.int().min(0) }

const AnnotationV1 = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('file_citation'),
    ...span,
    file_citation: z.object({ file_id: z.string(), quote: z.string() }),
  }),
  z.object({ type: z.literal('file_path'), ...span, file_path: z.object({ file_id: z.string() }) }),
])
export type AnnotationV1 = z.output<typeof AnnotationV1>

// AST-053
const MessageContentV1 = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text'), text: z.object({ value: z.string(), annotations: z.array(AnnotationV1) }) }),
  z.object({ type: z.literal('image_file'), image_file: z.object({ file_id: z.string() }) }),
])
export type MessageContentV1 = z.output<typeof MessageContentV1>

// AST-052
export const MessageV1 = MessageObject.omit({ content: true, attachments: true }).extend({
  content: z.array(MessageContentV1),
  file_ids: z.array(z.string()),
})
export type MessageV1 = z.output<typeof MessageV1>

// AST-057
export const MessageFileObject = z.object({
  id: z.string(),
  object: z.literal('thread.message.file'),
  created_at: z.int(),
  message_id: z.string(),
})
export type MessageFileObject = z.output<typeof MessageFileObject>

export const MessageFileParams = z.strictObject({
  thread_id: z.string(),
  message_id: z.string(),
  file_id: z.string(),
})

export const CreateThreadV1 = z.strictObject({
  messages: z.array(CreateMessageV1).max(maxInitialMessages).optional(),
  metadata: Metadata.nullish(),
})
export type CreateThreadV1 = z.output<typeof CreateThreadV1>

export const UpdateThreadV1 = z.strictObject({ metadata: Metadata.nullish() })

// AST-041
export const ThreadV1 = ThreadObject.omit({ tool_resources: true })
export type ThreadV1 = z.output<typeof ThreadV1>
