// Gathers the text of a marked-up document: runs of blanks become one, blocks begin on lines of their own.
export class TextBuilder {
  #text = ''
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

  /** What was gathered since the last time. */
  take(): string {
    const text = this.#text
    this.#text = ''
    return text
  }
}
