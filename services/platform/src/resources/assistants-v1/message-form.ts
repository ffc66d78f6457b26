// Threads and messages: from the first form of the interface to the second, and back.
import type { Annotation, CreateMessage, MessageContent, MessageObject } from '../threads/messages/schema.ts'
import type { CreateThread, ThreadObject } from '../threads/schema.ts'
import type {
  AnnotationV1,
  CreateMessageV1,
  CreateThreadV1,
  MessageContentV1,
  MessageV1,
  ThreadV1,
} from './message-schema.ts'

const bothTools = [{ type: 'code_interpreter' as const }, { type: 'file_search' as const }]

export function messageToV2({ file_ids = [], ...same }: CreateMessageV1): CreateMessage {
  const attachments = [...new Set(file_ids)].map((file_id) => ({ file_id, tools: bothTools }))
  return { ...same, ...(attachments.length > 0 && { attachments }) }
}

export const threadToV2 = ({ messages, metadata }: CreateThreadV1): CreateThread => ({
  metadata,
  messages: messages?.map(messageToV2),
})

export function threadToV1({ tool_resources: _, ...same }: ThreadObject): ThreadV1 {
  return same
}

/** The words of the file that an annotation at this place of a text stands for. */
export type Quote = (annotation: Annotation, text: string) => string

export function messageToV1({ content, attachments, ...same }: MessageObject, quote: Quote): MessageV1 {
  return { ...same, content: content.map((part) => partToV1(part, quote)), file_ids: filesOf({ attachments }) }
}

export const filesOf = ({ attachments }: Pick<MessageObject, 'attachments'>): string[] => [
  ...new Set(attachments.map(({ file_id }) => file_id)),
]

function partToV1(part: MessageContent, quote: Quote): MessageContentV1 {
  switch (part.type) {
    case 'text': {
      const { value, annotations } = part.text
      return { type: 'text', text: { value, annotations: annotations.map((one) => annotationToV1(one, value, quote)) } }
    }
    case 'image_file':
      return { type: 'image_file', image_file: { file_id: part.image_file.file_id } }
    case 'image_url':
      return plainText(imageWords(part.image_url.url))
    case 'refusal':
      return plainText(part.refusal)
  }
}

export function annotationToV1(annotation: Annotation, text: string, quote: Quote): AnnotationV1 {
  if (annotation.type === 'file_path') return annotation
  const { file_id } = annotation.file_citation
  return { ...annotation, file_citation: { file_id, quote: quote(annotation, text) } }
}

const plainText = (value: string): MessageContentV1 => ({ type: 'text', text: { value, annotations: [] } })

/** The first form knows images of files only: one from elsewhere is told in words. */
export const imageWords = (url: string): string => (url.startsWith('data:') ? '[image]' : `[image: ${url}]`)
