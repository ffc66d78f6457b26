// A message in its two forms: as a thread shows it, and as an item.
import type { MessageContent, MessageObject } from '../../threads/messages/schema.ts'
import type { Citation, MessageItem, Part } from './schema.ts'

/** How a thread shows the content of a message that came as an item. */
export function contentOfItem({ content }: Pick<MessageItem, 'content'>): MessageContent[] {
  return content.flatMap(shownParts)
}

function shownParts(part: Part): MessageContent[] {
  switch (part.type) {
    case 'input_text':
      return [text(part.text)]
    case 'output_text':
      return [{ type: 'text', text: { value: part.text, annotations: (part.annotations ?? []).flatMap(annotation) } }]
    case 'refusal':
      return [part]
    case 'input_image':
      return imageOf(part)
    case 'input_file':
      return [text(`[file ${part.file_id ?? part.filename ?? part.file_url ?? ''}]`)]
    case 'input_audio':
      return [text('[audio]')]
  }
}

const text = (value: string): MessageContent => ({ type: 'text', text: { value, annotations: [] } })

function imageOf({ image_url, file_id, detail }: Extract<Part, { type: 'input_image' }>): MessageContent[] {
  const shown = { detail: detail === 'low' || detail === 'high' ? detail : ('auto' as const) }
  if (file_id != null) return [{ type: 'image_file', image_file: { file_id, ...shown } }]
  return image_url == null ? [] : [{ type: 'image_url', image_url: { url: image_url, ...shown } }]
}

/** Items point to a place, threads to a span: here an empty one. */
function annotation(citation: Citation): Extract<MessageContent, { type: 'text' }>['text']['annotations'] {
  if (citation.type === 'url_citation') return []
  const { file_id } = citation
  const [start_index, end_index] =
    citation.type === 'container_file_citation'
      ? [citation.start_index, citation.end_index]
      : [citation.index, citation.index]
  const span = { text: '', start_index, end_index }
  return citation.type === 'file_citation'
    ? [{ type: 'file_citation', ...span, file_citation: { file_id } }]
    : [{ type: 'file_path', ...span, file_path: { file_id } }]
}

/** How a conversation shows a message of a thread. */
export const itemOfMessage = ({ id, role, status, content }: MessageObject): MessageItem => ({
  type: 'message',
  id,
  role,
  status,
  content: content.map((part) => partOf(part, role)),
})

function partOf(part: MessageContent, role: MessageObject['role']): Part {
  switch (part.type) {
    case 'text': {
      const { value, annotations } = part.text
      if (role === 'user') return { type: 'input_text', text: value }
      const cited = annotations.map(
        (one): Citation =>
          one.type === 'file_citation'
            ? { type: 'file_citation', file_id: one.file_citation.file_id, index: one.start_index }
            : { type: 'file_path', file_id: one.file_path.file_id, index: one.start_index },
      )
      return { type: 'output_text', text: value, annotations: cited, logprobs: [] }
    }
    case 'refusal':
      return part
    case 'image_file':
      return { type: 'input_image', ...part.image_file, detail: part.image_file.detail ?? 'auto' }
    case 'image_url':
      return { type: 'input_image', image_url: part.image_url.url, detail: part.image_url.detail ?? 'auto' }
  }
}
