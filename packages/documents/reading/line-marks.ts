// Marks in texts whose lines tell their structure: each line is looked at with those around it.
import type { Mark, MarkedText } from '../marks.ts'

export interface LineMarker {
  /** What stands before this line. Lines come without their ends; a `next` of undefined: it is the last. */
  before(line: string, next: string | undefined): readonly Mark[]
  /** What stands at the end. */
  end(): readonly Mark[]
}

/** A longer line tells nothing, and is not waited for. */
const maxLineLength = 4_096

export async function* markLines(pieces: AsyncIterable<string>, marker: LineMarker): AsyncGenerator<MarkedText> {
  const lines = new MarkedLines(marker)
  for await (const piece of pieces) {
    yield ''
    yield* lines.add(piece)
  }
  yield* lines.end()
}

class MarkedLines {
  readonly #marker: LineMarker
  /** From the beginning of a line that has yet to be looked at, or from within a long one. */
  #held = ''
  /** The beginning of the line was given away already. */
  #isInside = false

  constructor(marker: LineMarker) {
    this.#marker = marker
  }

  *add(piece: string): Generator<MarkedText> {
    const text = this.#held + piece
    let given = 0
    let at = 0
    for (;;) {
      const end = text.indexOf('\n', at)
      // A line is looked at when the next is whole.
      const nextEnd = end < 0 ? -1 : text.indexOf('\n', end + 1)
      if (nextEnd < 0 && text.length - Math.max(at, end + 1) <= maxLineLength) break
      const stop = end < 0 ? text.length : end + 1
      const next = nextEnd < 0 ? text.slice(end + 1) : text.slice(end + 1, nextEnd)
      const marks = this.#marksOf(text.slice(at, end < 0 ? undefined : end), next)
      if (marks.length > 0) {
        if (at > given) yield text.slice(given, at)
        yield* marks
        given = at
      }
      this.#isInside = end < 0
      at = stop
      if (end < 0) break
    }
    if (at > given) yield text.slice(given, at)
    this.#held = text.slice(at)
  }

  *end(): Generator<MarkedText> {
    const [first = '', ...rest] = this.#held.split(/(?<=\n)/)
    const last = rest.join('')
    yield* this.#marksOf(first.replace(/\n$/, ''), rest.length > 0 ? last : undefined)
    yield first
    if (last !== '') yield* [...this.#marksOf(last, undefined), last]
    yield* this.#marker.end()
  }

  #marksOf(line: string, next: string | undefined): readonly Mark[] {
    if (this.#isInside) {
      this.#isInside = false
      return []
    }
    // What follows a long line may not be there yet.
    const following = line.length > maxLineLength ? '' : next
    return this.#marker.before(bare(line), following === undefined ? undefined : bare(following))
  }
}

/** Without half of a line end, and no longer than anyone looks. */
const bare = (line: string): string => line.slice(0, maxLineLength).replace(/\r$/, '')
