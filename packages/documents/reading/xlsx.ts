// The text of an Excel workbook: each sheet's name and its rows, cells apart by tabs. Numbers are as stored: a date is
// the count of days that Excel keeps.
import type { MarkedText } from '../marks.ts'
import { titleMark } from './document-title.ts'
import { type MarkupListener, readMarkup } from './markup.ts'
import { relationsOf, visit } from './office-part.ts'
import { TextBuilder } from './text-builder.ts'
import type { Zip } from './zip.ts'

export async function* xlsxText(zip: Zip, workbook: string): AsyncGenerator<MarkedText> {
  const relations = await relationsOf(zip, workbook)
  yield* titleMark(zip, 'docProps/core.xml')
  const shared = relations.find(({ type }) => type === 'sharedStrings')
  const strings = shared === undefined ? [] : await sharedStrings(zip, shared.target)
  const sheets: { name: string; id: string }[] = []
  await visit(zip, workbook, {
    sheet: (attributes) => sheets.push({ name: attributes.name ?? '', id: attributes['r:id'] ?? '' }),
  })
  const parts = new Map(relations.map(({ id, target }) => [id, target]))
  for (const [index, { name, id }] of sheets.entries()) {
    const sheet = parts.get(id)
    if (sheet === undefined || !zip.has(sheet)) continue
    if (index > 0) yield '\n\f'
    if (name.trim() !== '') yield { mark: 'heading', level: 2, text: name }
    yield `${name}\n`
    yield { mark: 'begin', block: 'table' }
    yield* readMarkup(zip.text(sheet), 'xml', new SheetListener(strings))
    yield { mark: 'end' }
  }
}

async function sharedStrings(zip: Zip, part: string): Promise<string[]> {
  const listener = new StringsListener()
  for await (const _ of readMarkup(zip.text(part), 'xml', listener));
  return listener.strings
}

class StringsListener implements MarkupListener {
  readonly out = new TextBuilder()
  readonly strings: string[] = []
  #isText = false
  #isPronunciation = false
  #string = ''

  open(name: string): void {
    if (name === 'si') this.#string = ''
    // How a word is pronounced is no part of the cell.
    if (name === 'rPh') this.#isPronunciation = true
    this.#isText = name === 't' && !this.#isPronunciation
  }

  close(name: string): void {
    this.#isText = false
    if (name === 'rPh') this.#isPronunciation = false
    if (name === 'si') this.strings.push(this.#string)
  }

  text(text: string): void {
    if (this.#isText) this.#string += text
  }
}

class SheetListener implements MarkupListener {
  readonly out = new TextBuilder()
  readonly #strings: readonly string[]
  #element = ''
  #cellType = ''
  #value = ''
  #cellsInRow = 0
  /** The first row with more than one cell, if all are words: it names the columns. */
  #isHeaderKnown = false
  #areWords = true

  constructor(strings: readonly string[]) {
    this.#strings = strings
  }

  open(name: string): void {
    this.#element = name
    if (name === 'row') this.#beginRow()
    if (name !== 'c') return
    this.#cellType = 'n'
    this.#value = ''
  }

  attribute(name: string, value: string): void {
    if (this.#element === 'c' && name === 't') this.#cellType = value
  }

  close(name: string): void {
    this.#element = ''
    if (name === 'row') this.#endRow()
    else if (name === 'c') this.#endCell()
  }

  text(text: string): void {
    if (this.#element === 'v' || this.#element === 't') this.#value += text
  }

  #endCell(): void {
    const value = this.#cellType === 's' ? (this.#strings[Number(this.#value)] ?? '') : this.#value
    if (value === '') return
    if (this.#cellType === 'n') this.#areWords = false
    this.out.exact(`${this.#cellsInRow++ > 0 ? '\t' : ''}${value.replaceAll('\n', ' ')}`)
  }

  #beginRow(): void {
    this.#cellsInRow = 0
    this.#areWords = true
    if (!this.#isHeaderKnown) this.out.listen()
  }

  #endRow(): void {
    this.out.breakLine()
    if (this.#isHeaderKnown || this.#cellsInRow < 2) return
    this.#isHeaderKnown = true
    if (this.#areWords) this.out.header(this.out.heardCells())
  }
}
