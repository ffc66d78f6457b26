// Items of a response while they are written, and the events that tell of them.
import type { Emit } from './events.ts'
import { type CallItem, type Item, type MessageItem, type SpokenPart, shownItem, shownPart } from './items.ts'

export interface DraftPlace {
  emit: Emit
  responseId: string
  outputIndex: number
  /** Adds it to the conversation; tells the id of the one before. Absent: it belongs to none. */
  join: ((item: Item) => string | null) | undefined
}

abstract class Draft<Kind extends Item> {
  readonly item: Kind
  protected readonly place: DraftPlace
  #isOpen = true

  constructor(item: Kind, place: DraftPlace) {
    this.item = item
    this.place = place
    this.tell('response.output_item.added', { item: shownItem(item) })
    const previous = place.join?.(item)
    if (previous === undefined) return
    place.emit({ type: 'conversation.item.created', previous_item_id: previous, item: shownItem(item) }) // AST-176
  }

  /** Once more does nothing. */
  close(isWhole: boolean): void {
    if (!this.#isOpen) return
    this.#isOpen = false
    this.item.status = isWhole ? 'completed' : 'incomplete'
    this.closeContent()
    this.tell('response.output_item.done', { item: shownItem(this.item) })
  }

  protected abstract closeContent(): void

  protected tell(type: string, fields: object): void {
    this.place.emit({ type, response_id: this.place.responseId, output_index: this.place.outputIndex, ...fields })
  }

  protected get at() {
    return { item_id: this.item.id }
  }
}

/** A message with one part: written, or spoken. */
export class MessageDraft extends Draft<MessageItem> {
  readonly #part: Extract<MessageItem['content'][number], { type: 'text' | 'audio' }>

  constructor(id: string, kind: 'text' | 'audio', place: DraftPlace) {
    super({ id, type: 'message', role: 'assistant', status: 'in_progress', content: [] }, place)
    this.#part = kind === 'text' ? { type: 'text', text: '' } : { type: 'audio', transcript: '', ms: 0, pieces: [] }
    this.item.content.push(this.#part)
    this.#tellOfPart('response.content_part.added', { part: shownPart(this.#part) })
  }

  write(delta: string): void {
    if (this.#part.type === 'text') {
      this.#part.text += delta
      this.#tellOfPart('response.text.delta', { delta })
    } else {
      this.#part.transcript += delta
      this.#tellOfPart('response.audio_transcript.delta', { delta })
    }
  }

  /** Of a spoken one. */
  get spoken(): SpokenPart | undefined {
    return this.#part.type === 'audio' ? this.#part : undefined
  }

  sound(bytes: Buffer): void {
    this.#tellOfPart('response.audio.delta', { delta: bytes.toString('base64') })
  }

  protected closeContent(): void {
    if (this.#part.type === 'text') this.#tellOfPart('response.text.done', { text: this.#part.text })
    else {
      this.#tellOfPart('response.audio.done', {})
      this.#tellOfPart('response.audio_transcript.done', { transcript: this.#part.transcript })
    }
    this.#tellOfPart('response.content_part.done', { part: shownPart(this.#part) })
  }

  #tellOfPart(type: string, fields: object): void {
    this.tell(type, { ...this.at, content_index: 0, ...fields })
  }
}

export class CallDraft extends Draft<CallItem> {
  constructor(id: string, call: Pick<CallItem, 'call_id' | 'name'>, place: DraftPlace) {
    super({ id, type: 'function_call', status: 'in_progress', ...call, arguments: '' }, place)
  }

  write(delta: string): void {
    this.item.arguments += delta
    this.tell('response.function_call_arguments.delta', { ...this.at, call_id: this.item.call_id, delta })
  }

  protected closeContent(): void {
    const { call_id, name, arguments: text } = this.item
    this.tell('response.function_call_arguments.done', { ...this.at, call_id, name, arguments: text })
  }
}
