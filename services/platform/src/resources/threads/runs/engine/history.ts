// The thread as the model reads it.
import type { ChatMessage, ImagePart, TextPart } from '@atoll/models/chat'
import type { ProjectCaller } from '../../../../callers.ts'
import { imageOfFile, imageOfUrl } from '../../../../tool-loop/images.ts'
import type { Files } from '../../../files/service.ts'
import type { MessageContent, MessageObject } from '../../messages/schema.ts'

export async function chatMessageOf(
  message: MessageObject,
  caller: ProjectCaller,
  files: Pick<Files, 'content'>,
): Promise<ChatMessage> {
  if (message.role === 'assistant') return { role: 'assistant', content: plainText(message) }
  if (message.content.every(({ type }) => type === 'text')) return { role: 'user', content: plainText(message) }
  const parts: (TextPart | ImagePart)[] = []
  for (const part of message.content) {
    const { type } = part
    if (type === 'text') parts.push({ type, text: part.text.value })
    if (type === 'image_url') parts.push(imageOfUrl(part.image_url.url, part.image_url.detail))
    if (type === 'image_file') {
      parts.push(await imageOfFile(files, caller, part.image_file.file_id, part.image_file.detail))
    }
  }
  return { role: 'user', content: parts }
}

/** What a message says; images of an assistant are named, since models take none from it. */
export const plainText = ({ content }: Pick<MessageObject, 'content'>): string =>
  content.map(textOf).filter(Boolean).join('\n')

function textOf(part: MessageContent): string {
  switch (part.type) {
    case 'text':
      return withoutMarks(part.text)
    case 'refusal':
      return part.refusal
    case 'image_file':
      return `[image ${part.image_file.file_id}]`
    case 'image_url':
      return '[image]'
  }
}

/** Marks of citations were put in for the caller: the model never wrote them, and should not learn to. */
function withoutMarks({ value, annotations }: Extract<MessageContent, { type: 'text' }>['text']): string {
  const marks = annotations.filter(({ type }) => type === 'file_citation')
  return marks
    .toSorted((a, b) => b.start_index - a.start_index)
    .reduce((text, { start_index, end_index }) => text.slice(0, start_index) + text.slice(end_index), value)
}
