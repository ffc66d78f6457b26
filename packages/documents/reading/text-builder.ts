// Gathers the text of a marked-up document: runs of blanks become one, blocks begin on lines of their own, and marks
// tell of its structure.
import { type Block, type Mark, type MarkedText, maxHeadingLength, oneLine } from '../marks.ts'

export class TextBuilder {
  /** Before `#text`. */
  #parts: MarkedText[] = []
  #text = ''
  /** Stand before the next text. */
  #marks: Mark[] = []
  /** What was written since `listen`. */
  #heard: string | undefined
  /** Its text has yet to be heard: what follows it waits. */
  #heading: (Mark & { mark: 'heading' | 'title' }) | undefined
  /** Line ends owed before the next text. */
  #breaks = 0
  #owesSpace = false
  #isEmpty = true

  /** Text in which blanks have no meaning. */
  flow(text: string): void {
    if (text === '') return
    const words = text.replace(/[^\S\u00a0]+/g, ' ')
    if (words === ' ') {
      this.#owesSpace = true
      return
    }
    if (words.startsWith(' ')) this.#owesSpace = true
    const isOpen = words.endsWith(' ')
    this.exact(words.slice(words.startsWith(' ') ? 1 : 0, isOpen ? -1 : undefined))
    this.#owesSpace = isOpen
  }

  /** Text as it is. */
  exact(text: string): void {
    if (text === '') return
    if (this.#breaks > 0 && !this.#isEmpty) this.#text += '\n'.repeat(this.#breaks)
    else if (this.#owesSpace && !this.#isEmpty) this.#text += ' '
    this.#placeMarks()
    this.#hear(this.#breaks > 0 || this.#owesSpace ? ` ${text}` : text)
    this.#text += text
    this.#breaks = 0
    this.#owesSpace = false
    this.#isEmpty = false
  }

  /** What follows is the next cell of a row. */
  beginCell(): void {
    this.#owesSpace = false
    this.exact(' | ')
  }

  /** What follows begins on a new line, or after that many line ends. */
  breakLine(breaks = 1): void {
    this.#breaks = Math.max(this.#breaks, breaks)
  }

  /** What follows begins on a new page. */
  breakPage(): void {
    if (this.#isEmpty) return
    this.#text += '\n\f'
    this.#breaks = 0
    this.#owesSpace = false
    this.#isEmpty = true
  }

  /** What follows, up to `endHeading`, is a heading of this level, or the title of the whole. */
  beginHeading(level: number | 'title'): void {
    this.endHeading()
    this.#heading = level === 'title' ? { mark: 'title', text: '' } : { mark: 'heading', level, text: '' }
    this.#marks.push(this.#heading)
    this.listen()
  }

  endHeading(): void {
    if (this.#heading === undefined) return
    this.#heading.text = this.heard()
    if (this.#heading.text === '') this.#drop(this.#heading)
    this.#heading = undefined
  }

  /** One that is no part of the text. */
  heading(level: number, text: string): void {
    if (text.trim() !== '') this.#marks.push({ mark: 'heading', level, text: text.slice(0, maxHeadingLength) })
  }

  beginBlock(block: Block): void {
    this.#marks.push({ mark: 'begin', block })
  }

  endBlock(): void {
    // One without text was none.
    const begun = this.#marks.findLastIndex(({ mark }) => mark === 'begin')
    if (begun >= 0) this.#marks.splice(begun, 1)
    else this.#push({ mark: 'end' })
  }

  /** The row that was written says what stands in the columns. */
  header(row: string): void {
    if (row !== '') this.#push({ mark: 'header', text: row })
  }

  listen(): void {
    this.#heard = ''
  }

  /** On one line; empty when it was too long. */
  heard(): string {
    const text = this.#heard ?? ''
    this.#heard = undefined
    return text.length > maxHeadingLength ? '' : oneLine(text)
  }

  /** The same of a row whose cells stand apart by tabs. */
  heardCells(): string {
    this.#heard = this.#heard?.replaceAll('\t', ' | ')
    return this.heard()
  }

  /** What was gathered since the last time. */
  take(): MarkedText[] {
    this.#flush()
    const open = this.#heading === undefined ? -1 : this.#parts.indexOf(this.#heading)
    const isEndless = (this.#heard?.length ?? 0) > maxHeadingLength
    if (open < 0 || isEndless) {
      if (isEndless) this.endHeading()
      return this.#parts.splice(0)
    }
    return this.#parts.splice(0, open)
  }

  #hear(text: string): void {
    if (this.#heard !== undefined && this.#heard.length <= maxHeadingLength) this.#heard += text
  }

  /** Right behind what was written. */
  #push(mark: Mark): void {
    this.#flush()
    this.#parts.push(mark)
  }

  #placeMarks(): void {
    if (this.#marks.length === 0) return
    this.#flush()
    this.#parts.push(...this.#marks.splice(0))
  }

  #flush(): void {
    if (this.#text === '') return
    this.#parts.push(this.#text)
    this.#text = ''
  }

  #drop(mark: Mark): void {
    this.#marks = this.#marks.filter((other) => other !== mark)
    this.#parts = this.#parts.filter((other) => other !== mark)
  }
}
