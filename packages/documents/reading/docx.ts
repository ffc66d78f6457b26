// The text of a Word document: paragraphs, lists, tables, and its foot- and endnotes after them.
import type { MarkedText } from '../marks.ts'
import { titleMark } from './document-title.ts'
import { type MarkupListener, readMarkup } from './markup.ts'
import { type Relation, relationsOf } from './office-part.ts'
import { TextBuilder } from './text-builder.ts'
import { type HeadingStyle, headingStyles, outlineLevel } from './word-styles.ts'
import type { Zip } from './zip.ts'

/** Second versions of drawings for old programs, text that was moved away, places of tab stops. */
const unread = new Set(['Fallback', 'moveFrom', 'tabs'])
const maxListLevel = 8

type StyleLookup = (id: string) => HeadingStyle | undefined

export async function* docxText(zip: Zip, document: string): AsyncGenerator<MarkedText> {
  const relations = await relationsOf(zip, document)
  const styles = await headingStyles(
    zip,
    relations.filter(isPresent(zip)).find(({ type }) => type === 'styles')?.target,
  )
  yield* titleMark(zip, 'docProps/core.xml')
  yield* readMarkup(zip.text(document), 'xml', new WordListener(styles))
  const notes = relations.filter(({ type }) => type === 'footnotes' || type === 'endnotes')
  for (const { target } of notes.filter(isPresent(zip))) {
    yield '\n\n'
    yield* readMarkup(zip.text(target), 'xml', new WordListener(styles))
  }
}

const isPresent =
  (zip: Zip) =>
  ({ target }: Relation): boolean =>
    zip.has(target)

class WordListener implements MarkupListener {
  readonly out = new TextBuilder()
  readonly #styles: StyleLookup
  #element = ''
  #unread = 0
  #isText = false
  /** Of tables inside tables; a cell's paragraphs stay on the row's line. */
  #tables = 0
  #rows = 0
  #cellsInRow = 0
  #isFirstRowHeader = false
  #listLevel: number | undefined
  /** Of the paragraph, before its text. */
  #heading: HeadingStyle | undefined
  #isItem = false
  #isBegun = false
  #isInList = false

  constructor(styles: StyleLookup) {
    this.#styles = styles
  }

  open(name: string): void {
    this.#element = name
    if (unread.has(name)) this.#unread++
    if (this.#unread > 0) return
    if (name === 't') this.#isText = true
    else if (name === 'p') this.#beginParagraph()
    else if (name === 'numPr') this.#beginItem()
    else if (name === 'tab') this.#write('\t')
    else if (name === 'br' || name === 'cr') this.#write(this.#tables > 0 ? ' ' : '\n')
    else if (name === 'noBreakHyphen') this.#write('-')
    else if (name === 'tbl') this.#beginTable()
    else if (name === 'tr') this.#beginRow()
    else if (name === 'tblHeader' && this.#rows === 1) this.#isFirstRowHeader = true
    else if (name === 'tc' && this.#cellsInRow++ > 0) this.out.beginCell()
  }

  attribute(name: string, value: string): void {
    if (this.#element === 'ilvl' && name.endsWith('val') && this.#listLevel !== undefined)
      this.#listLevel = Math.min(maxListLevel, Math.max(0, Number.parseInt(value, 10) || 0))
    else if (this.#element === 'pStyle' && name.endsWith('val')) this.#heading ??= this.#styles(value)
    else if (this.#element === 'outlineLvl' && name.endsWith('val')) this.#heading = outlineLevel(value)
    else if (this.#element === 'tblLook' && name.endsWith('firstRow')) this.#isFirstRowHeader = value === '1'
  }

  close(name: string): void {
    if (unread.has(name)) this.#unread = Math.max(0, this.#unread - 1)
    if (this.#unread > 0) return
    if (name === 't') this.#isText = false
    else if (name === 'p') this.#endParagraph()
    else if (name === 'tr') this.#endRow()
    else if (name === 'tbl') this.#endTable()
  }

  text(text: string): void {
    if (this.#isText && this.#unread === 0) this.#write(text)
  }

  #write(text: string): void {
    if (!this.#isBegun && text.trim() !== '') this.#beginText()
    if (this.#listLevel !== undefined && text.trim() !== '') {
      this.out.exact(`${'  '.repeat(this.#listLevel)}- `)
      this.#listLevel = undefined
    }
    this.out.exact(text)
  }

  /** What the paragraph is, is known by now. */
  #beginText(): void {
    this.#isBegun = true
    if (this.#tables > 0) return
    if (this.#isItem !== this.#isInList) this.#isItem ? this.out.beginBlock('list') : this.out.endBlock()
    this.#isInList = this.#isItem
    if (this.#heading !== undefined) this.out.beginHeading(this.#heading)
  }

  #beginParagraph(): void {
    this.#listLevel = undefined
    this.#heading = undefined
    this.#isItem = false
    this.#isBegun = false
    if (this.#tables === 0) this.out.breakLine()
  }

  #beginItem(): void {
    this.#listLevel ??= 0
    this.#isItem = true
  }

  #endParagraph(): void {
    this.#listLevel = undefined
    if (this.#tables > 0) this.out.flow(' ')
    else {
      if (this.#heading !== undefined) this.out.endHeading()
      this.out.breakLine()
    }
  }

  #beginTable(): void {
    if (this.#tables === 0) {
      if (this.#isInList) this.out.endBlock()
      this.#isInList = false
      this.#isFirstRowHeader = false
      this.#rows = 0
      this.out.beginBlock('table')
    }
    this.#tables++
    this.out.breakLine(2)
  }

  #endTable(): void {
    this.#tables = Math.max(0, this.#tables - 1)
    if (this.#tables === 0) this.out.endBlock()
    this.out.breakLine(2)
  }

  #beginRow(): void {
    this.#cellsInRow = 0
    this.out.breakLine()
    if (this.#tables === 1 && this.#rows++ === 0) this.out.listen()
  }

  #endRow(): void {
    if (this.#tables === 1 && this.#rows === 1 && this.#isFirstRowHeader) this.out.header(this.out.heard())
  }
}
