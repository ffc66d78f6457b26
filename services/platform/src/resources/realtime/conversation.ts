// The items of a session in their order, within limits.
import { realtimeErrors } from '../../errors/realtime.ts'
import { type HeardPart, type Item, lettersOf } from './items.ts'

const maxItems = 10_000
const maxLetters = 16_000_000
/** Of sound that is kept for whoever retrieves an item; the oldest goes first. */
const maxAudioBytes = 16 * 1024 * 1024
/** Of sound that nobody has understood yet, and that can therefore not go. */
const maxUnheardBytes = 64 * 1024 * 1024

/** As `previous_item_id`: before all others. */
const root = 'root'

export class Conversation {
  readonly id: string
  readonly #items: Item[] = []

  constructor(id: string) {
    this.id = id
  }

  get items(): readonly Item[] {
    return this.#items
  }

  get lastId(): string | null {
    return this.#items.at(-1)?.id ?? null
  }

  find(id: string): Item | undefined {
    return this.#items.find((item) => item.id === id)
  }

  has(id: string): boolean {
    return this.find(id) !== undefined
  }

  /** Throws when one more would be too many. */
  checkRoom(item?: Item): void {
    const letters = this.#items.reduce((sum, one) => sum + lettersOf(one), item === undefined ? 0 : lettersOf(item))
    const unheard = this.#items.flatMap(heardParts).filter(({ transcript }) => transcript === null)
    const bytes = unheard.reduce((sum, part) => sum + bytesOf(part), 0)
    if (this.#items.length >= maxItems || letters > maxLetters || bytes > maxUnheardBytes) {
      throw realtimeErrors.conversationFull()
    }
  }

  /** Tells the id of the one before it. */
  add(item: Item, previousId: string | null = null): string | null {
    const at = this.#placeAfter(previousId)
    this.#items.splice(at, 0, item)
    this.#forgetOldAudio()
    return this.#items[at - 1]?.id ?? null
  }

  remove(id: string): void {
    const at = this.#items.findIndex((item) => item.id === id)
    if (at < 0) throw realtimeErrors.noSuchItem(id)
    this.#items.splice(at, 1)
  }

  #placeAfter(previousId: string | null): number {
    if (previousId === null) return this.#items.length
    if (previousId === root) return 0
    const at = this.#items.findIndex((item) => item.id === previousId)
    if (at < 0) throw realtimeErrors.noSuchPrevious(previousId)
    return at + 1
  }

  #forgetOldAudio(): void {
    let bytes = 0
    for (const part of this.#items.toReversed().flatMap(heardParts)) {
      bytes += bytesOf(part)
      if (bytes > maxAudioBytes && part.transcript !== null) part.clips = []
    }
  }
}

export const heardParts = (item: Item): HeardPart[] =>
  item.type === 'message' ? item.content.filter((part) => part.type === 'input_audio') : []

const bytesOf = ({ clips }: HeardPart): number => clips.reduce((sum, clip) => sum + clip.bytes.length, 0)
