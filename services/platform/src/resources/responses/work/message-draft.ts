// A message of a response while the model writes it: text with its annotations, then a refusal if it comes to that.
import type { TokenLogprob } from '@atoll/models/chat'
import { CitationPlacer, type CitationSources } from '../../../tool-loop/tools/citations.ts'
import type { Citation, MessageItem, Part } from '../../conversations/items/schema.ts'
import type { Tell } from '../stream/event.ts'

interface Place {
  id: string
  outputIndex: number
}

type Annotated = ReturnType<CitationPlacer['push']>

export class MessageDraft {
  readonly #place: Place
  readonly #tell: Tell
  readonly #sources: CitationSources
  readonly #containerId: string
  readonly #placer: CitationPlacer
  readonly #annotations: Citation[] = []
  #logprobs: TokenLogprob[] = []
  #newLogprobs: TokenLogprob[] = []
  #textIndex: number | undefined
  #refusal: { text: string; index: number } | undefined
  readonly #parts: Part[] = []

  constructor(place: Place, tell: Tell, sources: CitationSources, containerId: string) {
    this.#place = place
    this.#tell = tell
    this.#sources = sources
    this.#containerId = containerId
    this.#placer = new CitationPlacer(sources, { marks: false })
    const item = { ...this.#head('in_progress'), content: [] }
    tell({ type: 'response.output_item.added', output_index: place.outputIndex, item })
  }

  text(piece: string, logprobs: readonly TokenLogprob[]): void {
    this.#textIndex ??= this.#open({ type: 'output_text', text: '', annotations: [], logprobs: [] })
    this.#newLogprobs.push(...logprobs)
    this.#say(this.#placer.push(piece))
  }

  refuse(piece: string): void {
    if (this.#refusal === undefined) {
      this.#endText()
      this.#refusal = { text: '', index: this.#open({ type: 'refusal', refusal: '' }) }
    }
    this.#refusal.text += piece
    this.#tell({ type: 'response.refusal.delta', ...this.#at(this.#refusal.index), delta: piece })
  }

  end(status: 'completed' | 'incomplete'): MessageItem {
    // An answer without a word is an empty text.
    if (this.#textIndex === undefined && this.#refusal === undefined) this.text('', [])
    if (this.#refusal === undefined) this.#endText()
    else this.#endRefusal(this.#refusal)
    const item = { ...this.#head(status), content: this.#parts }
    this.#tell({ type: 'response.output_item.done', output_index: this.#place.outputIndex, item })
    return item
  }

  #head(status: MessageItem['status']) {
    return { id: this.#place.id, type: 'message' as const, status, role: 'assistant' as const }
  }

  #at(content_index: number) {
    return { item_id: this.#place.id, output_index: this.#place.outputIndex, content_index }
  }

  #open(part: Part): number {
    const index = this.#parts.length
    this.#tell({ type: 'response.content_part.added', ...this.#at(index), part })
    return index
  }

  #close(index: number, part: Part): void {
    this.#parts.push(part)
    this.#tell({ type: 'response.content_part.done', ...this.#at(index), part })
  }

  #say({ text, annotations }: Annotated): void {
    const at = this.#at(this.#textIndex ?? 0)
    if (text !== '') {
      const logprobs = this.#newLogprobs
      this.#logprobs = [...this.#logprobs, ...logprobs]
      this.#newLogprobs = []
      this.#tell({ type: 'response.output_text.delta', ...at, delta: text, logprobs })
    }
    for (const placed of annotations) {
      const annotation = this.#citation(placed)
      const annotation_index = this.#annotations.push(annotation) - 1
      this.#tell({ type: 'response.output_text.annotation.added', ...at, annotation_index, annotation })
    }
  }

  #citation(placed: Annotated['annotations'][number]): Citation {
    const { start_index, end_index } = placed
    if (placed.type === 'file_citation') {
      const { file_id } = placed.file_citation
      const filename = this.#sources.passages.find(({ fileId }) => fileId === file_id)?.fileName
      return { type: 'file_citation', file_id, filename, index: start_index }
    }
    const { file_id } = placed.file_path
    const path = this.#sources.files.find(({ fileId }) => fileId === file_id)?.path
    const named = { file_id, filename: path?.split('/').at(-1) }
    return { type: 'container_file_citation', container_id: this.#containerId, ...named, start_index, end_index }
  }

  #endText(): void {
    if (this.#textIndex === undefined || this.#parts.length > this.#textIndex) return
    this.#say(this.#placer.end())
    const { text } = this.#placer
    const logprobs = [...this.#logprobs, ...this.#newLogprobs]
    this.#tell({ type: 'response.output_text.done', ...this.#at(this.#textIndex), text, logprobs })
    this.#close(this.#textIndex, { type: 'output_text', text, annotations: this.#annotations, logprobs })
  }

  #endRefusal({ text, index }: { text: string; index: number }): void {
    this.#tell({ type: 'response.refusal.done', ...this.#at(index), refusal: text })
    this.#close(index, { type: 'refusal', refusal: text })
  }
}
