// The text of a PowerPoint presentation: its slides in their order, each with its notes.
import type { MarkedText } from '../marks.ts'
import { problems } from '../problems.ts'
import { titleMark } from './document-title.ts'
import { type MarkupListener, readMarkup } from './markup.ts'
import { relationsOf, visit } from './office-part.ts'
import { TextBuilder } from './text-builder.ts'
import type { Zip } from './zip.ts'

/** Boxes that a slide's notes repeat: its number, its picture, the date. */
const repeated = new Set(['sldNum', 'sldImg', 'dt', 'hdr', 'ftr'])
const titles = new Set(['title', 'ctrTitle'])

export async function* pptxText(zip: Zip, presentation: string, maxSlides: number): AsyncGenerator<MarkedText> {
  const ids: string[] = []
  yield* titleMark(zip, 'docProps/core.xml')
  await visit(zip, presentation, { sldId: (attributes) => ids.push(attributes['r:id'] ?? '') })
  if (ids.length > maxSlides) throw problems.tooManyPages(maxSlides)
  const parts = new Map((await relationsOf(zip, presentation)).map(({ id, target }) => [id, target]))
  for (const [index, id] of ids.entries()) {
    const slide = parts.get(id)
    if (slide === undefined || !zip.has(slide)) continue
    if (index > 0) yield '\n\f'
    // Also for a slide without a title: it does not stand under the one before.
    yield { mark: 'heading', level: 2, text: `Slide ${index + 1}` }
    yield* readMarkup(zip.text(slide), 'xml', new SlideListener())
    const notes = (await relationsOf(zip, slide)).find(({ type }) => type === 'notesSlide')
    if (notes !== undefined) yield* notesText(zip, notes.target)
  }
}

async function* notesText(zip: Zip, notes: string): AsyncGenerator<MarkedText> {
  let isFirst = true
  for await (const piece of readMarkup(zip.text(notes), 'xml', new SlideListener())) {
    if (piece === '') continue
    if (typeof piece !== 'string') yield piece
    else yield isFirst ? `\n\nNotes: ${piece}` : piece
    isFirst &&= typeof piece !== 'string'
  }
}

class SlideListener implements MarkupListener {
  readonly out = new TextBuilder()
  #element = ''
  #isText = false
  #isRepeated = false
  #isTitle = false
  #isTable = false
  #cellsInRow = 0

  open(name: string): void {
    this.#element = name
    if (name === 'sp') this.#isRepeated = false
    else if (name === 'txBody' && this.#isTitle) this.out.beginHeading(2)
    else if (name === 't') this.#isText = true
    else if (name === 'p' && !this.#isTable) this.out.breakLine()
    else if (name === 'br') this.out.breakLine()
    else if (name === 'tbl') this.#beginTable()
    else if (name === 'tr') this.#beginRow()
    else if (name === 'tc' && this.#cellsInRow++ > 0) this.out.beginCell()
  }

  attribute(name: string, value: string): void {
    if (this.#element !== 'ph' || name !== 'type') return
    this.#isRepeated = repeated.has(value)
    this.#isTitle = titles.has(value)
  }

  close(name: string): void {
    if (name === 't') this.#isText = false
    else if (name === 'sp' || name === 'tbl') {
      if (this.#isTitle) this.out.endHeading()
      if (this.#isTable) this.out.endBlock()
      this.#isTable = false
      this.#isRepeated = false
      this.#isTitle = false
      this.out.breakLine(2)
    } else if (name === 'p' && this.#isTable) this.out.flow(' ')
  }

  text(text: string): void {
    if (this.#isText && !this.#isRepeated) this.out.exact(text)
  }

  #beginTable(): void {
    this.#isTable = true
    this.out.beginBlock('table')
    this.out.breakLine(2)
  }

  #beginRow(): void {
    this.#cellsInRow = 0
    this.out.breakLine()
  }
}
