// A message while the model writes it: images that code has made, then text, then a refusal if it comes to that.

import { CitationPlacer, type CitationSources } from '../../../../tool-loop/tools/citations.ts'
import type { Attachment, MessageContent } from '../../messages/schema.ts'
import type { ContentDelta } from '../stream/events.ts'

export class MessageDraft {
  readonly #placer: CitationPlacer
  readonly #sources: CitationSources
  readonly #images: readonly string[]
  #hasText = false
  #isEnded = false
  #refusal: string | undefined

  /** `images` are ids of files. */
  constructor(sources: CitationSources, images: readonly string[]) {
    this.#sources = sources
    this.#placer = new CitationPlacer(sources)
    this.#images = images
  }

  /** What is there before the first word. */
  opening(): ContentDelta[] {
    return this.#images.map((file_id, index) => ({ index, type: 'image_file', image_file: { file_id } }))
  }

  text(piece: string): ContentDelta[] {
    this.#hasText = true
    return this.#textDelta(this.#placer.push(piece))
  }

  refuse(piece: string): ContentDelta[] {
    const before = this.#refusal === undefined ? this.end() : []
    this.#refusal = (this.#refusal ?? '') + piece
    const index = this.#images.length + (this.#hasText ? 1 : 0)
    return [...before, { index, type: 'refusal', refusal: piece }]
  }

  /** What was held back of the text. */
  end(): ContentDelta[] {
    if (this.#isEnded) return []
    this.#isEnded = true
    return this.#textDelta(this.#placer.end())
  }

  content(): MessageContent[] {
    const parts: MessageContent[] = this.#images.map((file_id) => ({ type: 'image_file', image_file: { file_id } }))
    const { text: value, annotations } = this.#placer
    // A message without a word is an empty text.
    if (this.#hasText || (parts.length === 0 && this.#refusal === undefined)) {
      parts.push({ type: 'text', text: { value, annotations: [...annotations] } })
    }
    if (this.#refusal !== undefined) parts.push({ type: 'refusal', refusal: this.#refusal })
    return parts
  }

  /** Files that the text links to. */
  attachments(): Attachment[] {
    const ids = this.#placer.annotations.flatMap((one) => (one.type === 'file_path' ? [one.file_path.file_id] : []))
    const written = new Set(this.#sources.files.map(({ fileId }) => fileId))
    const linked = [...new Set(ids)].filter((id) => written.has(id))
    return linked.map((file_id) => ({ file_id, tools: [{ type: 'code_interpreter' }] }))
  }

  #textDelta({ text: value, annotations }: ReturnType<CitationPlacer['push']>): ContentDelta[] {
    if (value === '' && annotations.length === 0) return []
    return [{ index: this.#images.length, type: 'text', text: { value, annotations } }]
  }
}
