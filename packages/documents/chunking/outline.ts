// The marks of a text by their places in it, for whoever cuts it: what not to cut, and where a piece of it stands.
import type { Block, Mark } from '../marks.ts'
import { Headings } from './headings.ts'

/** Places are in UTF-16 units from the beginning of the text. */
export interface Span {
  block: Block
  start: number
  /** Undefined: it has not ended yet. */
  end: number | undefined
}

interface PlacedMark {
  place: number
  mark: Mark
}

export class Outline {
  readonly #headings: Headings
  /** Where text begins that is more than blanks. */
  #firstText: number | undefined
  /** In the order of their places, as all lists here: there can be thousands, and few are near. */
  #ahead: PlacedMark[] = []
  #titles: PlacedMark[] = []
  /** Those that reach beyond what was forgotten, in the order of their starts. */
  #spans: Span[] = []
  #open: Span[] = []
  #headingPlaces: number[] = []

  constructor(filename: string) {
    this.#headings = new Headings(filename)
  }

  /** What the text holds from `place` on; called until there is something. */
  noteText(text: string, place: number): void {
    if (this.#firstText !== undefined) return
    const first = text.search(/\S/)
    if (first >= 0) this.#firstText = place + first
  }

  add(mark: Mark, place: number): void {
    const marks = mark.mark === 'title' ? this.#titles : this.#ahead
    marks.push({ mark, place })
    if (mark.mark === 'heading') this.#headingPlaces.push(place)
    else if (mark.mark === 'begin') {
      const span = { block: mark.block, start: place, end: undefined }
      this.#spans.push(span)
      this.#open.push(span)
    } else if (mark.mark === 'end') {
      const span = this.#open.pop()
      if (span !== undefined) span.end = place
    }
  }

  /** Where what begins at `place` stands. Places never go back; a title is known for all up to `end`. */
  headingAt(place: number, end: number): string {
    this.#titles = this.#pass(this.#titles, end)
    this.#ahead = this.#pass(this.#ahead, place)
    return String(this.#headings)
  }

  /** Blocks that `place` is inside of, the outermost first. */
  blocksAt(place: number): Span[] {
    const around: Span[] = []
    for (const span of this.#spans) {
      if (span.start >= place) break
      if (span.end === undefined || place < span.end) around.push(span)
    }
    return around
  }

  blockFrom(place: number): Span | undefined {
    for (const span of this.#spans) if (span.start >= place) return span.start === place ? span : undefined
    return undefined
  }

  /** A heading begins there. */
  isHeading(place: number): boolean {
    return this.hasHeading(place - 1, place)
  }

  /** After `from`, up to `to`. */
  hasHeading(from: number, to: number): boolean {
    for (const place of this.#headingPlaces) if (place > from) return place <= to
    return false
  }

  /** What ends before `place` is not asked for again. */
  forget(place: number): void {
    if (this.#spans.length > 0) this.#spans = this.#spans.filter(({ end }) => end === undefined || end > place)
    if (this.#headingPlaces.length > 0) this.#headingPlaces = this.#headingPlaces.filter((at) => at >= place)
  }

  /** Those that are left. */
  #pass(marks: PlacedMark[], until: number): PlacedMark[] {
    let passed = 0
    for (; passed < marks.length; passed++) {
      const { mark, place } = marks[passed] as PlacedMark
      if (place > until) break
      this.#headings.pass(mark, place <= (this.#firstText ?? place))
    }
    return passed === 0 ? marks : marks.slice(passed)
  }
}
