// Messages of a thread: what callers send, and what assistants answered.
import { z } from 'zod'
import { CodeInterpreterTool } from '../../assistants/schema.ts'
import { Metadata } from '../../chat/completions/metadata/schema.ts'

export const maxTextLetters = 256_000
const maxParts = 512
export const maxAttachments = 500
const maxIdLetters = 256
const maxImageUrlLetters = 8 * 1024 * 1024

const Id = z.string().min(1).max(maxIdLetters)
const Detail = z.enum(['auto', 'low', 'high'])
const Text = z.string().min(1).max(maxTextLetters)

const TextPart = z.strictObject({ type: z.literal('text'), text: Text })

const ImageFilePart = z.strictObject({
  type: z.literal('image_file'),
  image_file: z.strictObject({ file_id: Id, detail: Detail.default('auto') }),
})

const ImageUrlPart = z.strictObject({
  type: z.literal('image_url'),
  image_url: z.strictObject({
    url: z
      .string()
      .max(maxImageUrlLetters)
      .regex(/^(https?:\/\/[^\s/]|data:image\/)/i, 'expected the http, https or data: URL of an image.'),
    detail: Detail.default('auto'),
  }),
})

const Parts = z
  .array(z.discriminatedUnion('type', [TextPart, ImageFilePart, ImageUrlPart]))
  .min(1)
  .max(maxParts)
  .superRefine((parts, context) => {
    const letters = parts.reduce((sum, part) => sum + (part.type === 'text' ? part.text.length : 0), 0)
    if (letters <= maxTextLetters) return
    context.addIssue({
      code: 'custom',
      message: `all text of a message may have at most ${maxTextLetters} characters.`,
    })
  })

const Attachment = z.strictObject({
  file_id: Id,
  tools: z
    .array(z.discriminatedUnion('type', [CodeInterpreterTool, z.strictObject({ type: z.literal('file_search') })]))
    .min(1)
    .max(2),
})
export type Attachment = z.output<typeof Attachment>

// AST-049
export const CreateMessage = z.strictObject({
  role: z.enum(['user', 'assistant']),
  content: z.union([Text, Parts]),
  attachments: z.array(Attachment).max(maxAttachments).nullish(),
  metadata: Metadata.nullish(),
})
export type CreateMessage = z.output<typeof CreateMessage>

export const UpdateMessage = z.strictObject({ metadata: Metadata.nullish() })
export type UpdateMessage = z.output<typeof UpdateMessage>

export const MessagesParams = z.strictObject({ thread_id: z.string() })
export const MessageParams = z.strictObject({ thread_id: z.string(), message_id: z.string() })

const span = { text: z.string(), start_index: z.int().min(0), end_index: z.int().min(0) }

/** Indexes count UTF-16 code units of the text. */
export const Annotation = z.discriminatedUnion('type', [
  z.object({ type: z.literal('file_citation'), ...span, file_citation: z.object({ file_id: z.string() }) }),
  z.object({ type: z.literal('file_path'), ...span, file_path: z.object({ file_id: z.string() }) }),
])
export type Annotation = z.output<typeof Annotation>

export const MessageContent = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('text'),
    text: z.object({ value: z.string(), annotations: z.array(Annotation) }),
  }),
  z.object({
    type: z.literal('image_file'),
    image_file: z.object({ file_id: z.string(), detail: Detail.optional() }),
  }),
  z.object({ type: z.literal('image_url'), image_url: z.object({ url: z.string(), detail: Detail.optional() }) }),
  z.object({ type: z.literal('refusal'), refusal: z.string() }),
])
export type MessageContent = z.output<typeof MessageContent>

export const messageStatuses = ['in_progress', 'incomplete', 'completed'] as const
export type MessageStatus = (typeof messageStatuses)[number]

const IncompleteDetails = z.object({
  reason: z.enum(['content_filter', 'max_tokens', 'run_cancelled', 'run_expired', 'run_failed']),
})
export type IncompleteDetails = z.output<typeof IncompleteDetails>

export const MessageObject = z.object({
  id: z.string(),
  object: z.literal('thread.message'),
  created_at: z.int(),
  thread_id: z.string(),
  status: z.enum(messageStatuses),
  incomplete_details: IncompleteDetails.nullable(),
  completed_at: z.int().nullable(),
  incomplete_at: z.int().nullable(),
  role: z.enum(['user', 'assistant']),
  content: z.array(MessageContent),
  assistant_id: z.string().nullable(),
  run_id: z.string().nullable(),
  attachments: z.array(Attachment),
  metadata: Metadata,
})
export type MessageObject = z.output<typeof MessageObject>

export const MessageDeleted = z.object({
  id: z.string(),
  object: z.literal('thread.message.deleted'),
  deleted: z.literal(true),
})
export type MessageDeleted = z.output<typeof MessageDeleted>
