// The text of an OpenDocument file: text, presentation or spreadsheet.
import { type MarkupListener, readMarkup } from './markup.ts'
import { TextBuilder } from './text-builder.ts'
import type { Zip } from './zip.ts'

export const openDocumentContent = 'content.xml'
const maxSpaces = 100
const unread = new Set(['tracked-changes', 'annotation', 'font-face-decls', 'automatic-styles'])

export const openDocumentText = (zip: Zip): AsyncIterable<string> =>
  readMarkup(zip.text(openDocumentContent), 'xml', new OpenDocumentListener())

class OpenDocumentListener implements MarkupListener {
  readonly out = new TextBuilder()
  #element = ''
  #unread = 0
  #paragraphs = 0
  #rows = 0
  #cellsInRow = 0
  #isListItem = false

  open(name: string): void {
    this.#element = name
    if (unread.has(name)) this.#unread++
    if (this.#unread > 0) return
    if (name === 'p' || name === 'h') this.#beginParagraph()
    else if (name === 'list-item') this.#isListItem = true
    else if (name === 'tab') this.#write('\t')
    else if (name === 's') this.#write(' ')
    else if (name === 'line-break') this.#write('\n')
    else if (name === 'page' || name === 'table') this.out.breakLine(2)
    else if (name === 'table-row') this.#beginRow()
    else if (name === 'table-cell' && this.#cellsInRow++ > 0) this.out.beginCell()
  }

  attribute(name: string, value: string): void {
    // <text:s text:c="5"/> stands for five spaces.
    const isMoreSpaces = this.#element === 's' && name.endsWith(':c') && this.#unread === 0
    if (isMoreSpaces) this.#write(' '.repeat(Math.min(maxSpaces, Math.max(0, Number.parseInt(value, 10) - 1 || 0))))
  }

  close(name: string): void {
    if (unread.has(name)) this.#unread = Math.max(0, this.#unread - 1)
    if (this.#unread > 0) return
    if (name === 'p' || name === 'h') this.#endParagraph()
    else if (name === 'page') this.out.breakPage()
    else if (name === 'table-row') this.#rows = Math.max(0, this.#rows - 1)
    else if (name === 'table') this.out.breakLine(2)
  }

  text(text: string): void {
    if (this.#paragraphs > 0 && this.#unread === 0) this.#write(text)
  }

  #write(text: string): void {
    if (this.#isListItem && text.trim() !== '') {
      this.#isListItem = false
      this.out.exact('- ')
    }
    this.out.exact(text)
  }

  #beginParagraph(): void {
    this.#paragraphs++
    if (this.#rows === 0) this.out.breakLine()
  }

  #endParagraph(): void {
    this.#paragraphs = Math.max(0, this.#paragraphs - 1)
    if (this.#rows === 0) this.out.breakLine()
    else this.out.flow(' ')
  }

  #beginRow(): void {
    this.#rows++
    this.#cellsInRow = 0
    this.out.breakLine()
  }
}
