// The text of an OpenDocument file: text, presentation or spreadsheet.
import type { MarkedText } from '../marks.ts'
import { titleMark } from './document-title.ts'
import { type MarkupListener, readMarkup } from './markup.ts'
import { TextBuilder } from './text-builder.ts'
import type { Zip } from './zip.ts'

export const openDocumentContent = 'content.xml'
const maxSpaces = 100
const unread = new Set(['tracked-changes', 'annotation', 'font-face-decls', 'automatic-styles'])

export async function* openDocumentText(zip: Zip): AsyncGenerator<MarkedText> {
  yield* titleMark(zip, 'meta.xml')
  yield* readMarkup(zip.text(openDocumentContent), 'xml', new OpenDocumentListener())
}

class OpenDocumentListener implements MarkupListener {
  readonly out = new TextBuilder()
  #element = ''
  #unread = 0
  #paragraphs = 0
  #rows = 0
  #cellsInRow = 0
  #isListItem = false
  #lists = 0
  #isSpreadsheet = false
  /** Rows of the table that is open, and whether those that come now name its columns. */
  #rowsInTable = 0
  #isHeader = false
  /** Of the paragraph, before its text. */
  #level: number | undefined
  #isTitleFrame = false

  open(name: string): void {
    this.#element = name
    if (unread.has(name)) this.#unread++
    if (this.#unread > 0) return
    if (name === 'p' || name === 'h') this.#beginParagraph(name)
    else if (name === 'list-item') this.#isListItem = true
    else if (name === 'tab') this.#write('\t')
    else if (name === 's') this.#write(' ')
    else if (name === 'line-break') this.#write('\n')
    else if (name === 'page') this.out.breakLine(2)
    else this.#beginPart(name)
  }

  attribute(name: string, value: string): void {
    if (this.#unread > 0) return
    // <text:s text:c="5"/> stands for five spaces.
    const isMoreSpaces = this.#element === 's' && name.endsWith(':c')
    if (isMoreSpaces) this.#write(' '.repeat(Math.min(maxSpaces, Math.max(0, Number.parseInt(value, 10) - 1 || 0))))
    else if (this.#element === 'h' && name.endsWith(':outline-level')) this.#level = Number.parseInt(value, 10) || 1
    else if (this.#element === 'table' && name === 'table:name' && this.#isSpreadsheet) this.out.heading(2, value)
    else if (this.#element === 'frame' && name.endsWith(':class') && value === 'title') this.#isTitleFrame = true
  }

  close(name: string): void {
    if (unread.has(name)) this.#unread = Math.max(0, this.#unread - 1)
    if (this.#unread > 0) return
    if (name === 'p' || name === 'h') this.#endParagraph()
    else if (name === 'page') this.out.breakPage()
    else if (name === 'frame') this.#isTitleFrame = false
    else if (name === 'table-header-rows') this.#isHeader = false
    else if (name === 'table-row') this.#endRow()
    else if (name === 'table' || name === 'list') this.#endBlock(name)
  }

  text(text: string): void {
    if (this.#paragraphs > 0 && this.#unread === 0) this.#write(text)
  }

  #beginPart(name: string): void {
    if (name === 'spreadsheet') this.#isSpreadsheet = true
    else if (name === 'list' && this.#lists++ === 0) this.out.beginBlock('list')
    else if (name === 'table') {
      this.#rowsInTable = 0
      this.out.beginBlock('table')
      this.out.breakLine(2)
    } else if (name === 'table-header-rows') this.#isHeader = true
    else if (name === 'table-row') this.#beginRow()
    else if (name === 'table-cell' && this.#cellsInRow++ > 0) this.out.beginCell()
  }

  #endBlock(name: string): void {
    if (name === 'table' || --this.#lists === 0) this.out.endBlock()
    this.#lists = Math.max(0, this.#lists)
    if (name === 'table') this.out.breakLine(2)
  }

  #write(text: string): void {
    if (this.#level !== undefined && text.trim() !== '') {
      this.out.beginHeading(this.#level)
      this.#level = undefined
    }
    if (this.#isListItem && text.trim() !== '') {
      this.#isListItem = false
      this.out.exact('- ')
    }
    this.out.exact(text)
  }

  #beginParagraph(name: string): void {
    this.#paragraphs++
    this.#level = name === 'h' ? 1 : this.#isTitleFrame ? 2 : undefined
    if (this.#rows === 0) this.out.breakLine()
  }

  #endParagraph(): void {
    this.#paragraphs = Math.max(0, this.#paragraphs - 1)
    this.out.endHeading()
    if (this.#rows === 0) this.out.breakLine()
    else this.out.flow(' ')
  }

  #beginRow(): void {
    this.#rows++
    this.#rowsInTable++
    this.#cellsInRow = 0
    this.out.breakLine()
    if (this.#isNaming()) this.out.listen()
  }

  #endRow(): void {
    this.#rows = Math.max(0, this.#rows - 1)
    if (this.#isNaming() && this.#cellsInRow > 1) this.out.header(this.out.heard())
  }

  /** The row says what stands in the columns. */
  #isNaming(): boolean {
    return this.#rowsInTable === 1 && (this.#isHeader || this.#isSpreadsheet)
  }
}
