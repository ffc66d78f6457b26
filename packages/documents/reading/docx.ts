// The text of a Word document: paragraphs, lists, tables, and its foot- and endnotes after them.
import { type MarkupListener, readMarkup } from './markup.ts'
import { type Relation, relationsOf } from './office-part.ts'
import { TextBuilder } from './text-builder.ts'
import type { Zip } from './zip.ts'

/** Second versions of drawings for old programs, text that was moved away, places of tab stops. */
const unread = new Set(['Fallback', 'moveFrom', 'tabs'])
const maxListLevel = 8

export async function* docxText(zip: Zip, document: string): AsyncGenerator<string> {
  yield* readMarkup(zip.text(document), 'xml', new WordListener())
  const notes = (await relationsOf(zip, document)).filter(({ type }) => type === 'footnotes' || type === 'endnotes')
  for (const { target } of notes.filter(isPresent(zip))) {
    yield '\n\n'
    yield* readMarkup(zip.text(target), 'xml', new WordListener())
  }
}

const isPresent =
  (zip: Zip) =>
  ({ target }: Relation): boolean =>
    zip.has(target)

class WordListener implements MarkupListener {
  readonly out = new TextBuilder()
  #element = ''
  #unread = 0
  #isText = false
  /** Of tables inside tables; a cell's paragraphs stay on the row's line. */
  #tables = 0
  #cellsInRow = 0
  #listLevel: number | undefined

  open(name: string): void {
    this.#element = name
    if (unread.has(name)) this.#unread++
    if (this.#unread > 0) return
    if (name === 't') this.#isText = true
    else if (name === 'p') this.#beginParagraph()
    else if (name === 'numPr') this.#listLevel ??= 0
    else if (name === 'tab') this.#write('\t')
    else if (name === 'br' || name === 'cr') this.#write(this.#tables > 0 ? ' ' : '\n')
    else if (name === 'noBreakHyphen') this.#write('-')
    else if (name === 'tbl') this.#beginTable()
    else if (name === 'tr') this.#beginRow()
    else if (name === 'tc' && this.#cellsInRow++ > 0) this.out.beginCell()
  }

  attribute(name: string, value: string): void {
    if (this.#element === 'ilvl' && name.endsWith('val') && this.#listLevel !== undefined)
      this.#listLevel = Math.min(maxListLevel, Math.max(0, Number.parseInt(value, 10) || 0))
  }

  close(name: string): void {
    if (unread.has(name)) this.#unread = Math.max(0, this.#unread - 1)
    if (this.#unread > 0) return
    if (name === 't') this.#isText = false
    else if (name === 'p') this.#endParagraph()
    else if (name === 'tbl') {
      this.#tables = Math.max(0, this.#tables - 1)
      this.out.breakLine(2)
    }
  }

  text(text: string): void {
    if (this.#isText && this.#unread === 0) this.#write(text)
  }

  #write(text: string): void {
    if (this.#listLevel !== undefined && text.trim() !== '') {
      this.out.exact(`${'  '.repeat(this.#listLevel)}- `)
      this.#listLevel = undefined
    }
    this.out.exact(text)
  }

  #beginParagraph(): void {
    this.#listLevel = undefined
    if (this.#tables === 0) this.out.breakLine()
  }

  #endParagraph(): void {
    this.#listLevel = undefined
    if (this.#tables === 0) this.out.breakLine()
    else this.out.flow(' ')
  }

  #beginTable(): void {
    this.#tables++
    this.out.breakLine(2)
  }

  #beginRow(): void {
    this.#cellsInRow = 0
    this.out.breakLine()
  }
}
