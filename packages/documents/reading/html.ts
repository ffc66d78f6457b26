// The readable text of a web page, without scripts and styles.
import type { Block, MarkedText } from '../marks.ts'
import { type MarkupListener, readMarkup } from './markup.ts'
import { TextBuilder } from './text-builder.ts'

const names = (list: string): Set<string> => new Set(list.split(' '))
const unread = names('script style noscript template svg canvas iframe object datalist')
const paragraphs = names(
  'p h1 h2 h3 h4 h5 h6 ul ol dl table pre blockquote figure article section header footer main aside nav form hr title',
)
const lines = names(
  'div li dt dd tr caption figcaption fieldset legend address details summary option body head html br center',
)
const cells = names('td th')
const blocks: Record<string, Block> = { table: 'table', ul: 'list', ol: 'list', dl: 'list', pre: 'code' }
const heading = /^h([1-6])$/

export const htmlText = (pieces: AsyncIterable<string>): AsyncIterable<MarkedText> =>
  readMarkup(pieces, 'html', new PageListener(unread))

/** Of a page that is part of something else: its title is of no interest. */
export const innerHtmlText = (pieces: AsyncIterable<string>): AsyncIterable<MarkedText> =>
  readMarkup(pieces, 'html', new PageListener(new Set([...unread, 'title'])))

class PageListener implements MarkupListener {
  readonly out = new TextBuilder()
  readonly #unreadNames: ReadonlySet<string>
  #element = ''
  /** Depths inside elements that are not read, and that keep their blanks. */
  #unread = 0
  #exact = 0
  #cellsInRow = 0
  /** Of the row, as long as all its cells are. */
  #isHeaderRow = false

  constructor(unreadNames: ReadonlySet<string>) {
    this.#unreadNames = unreadNames
  }

  open(name: string): void {
    this.#element = name
    if (this.#unreadNames.has(name)) this.#unread++
    if (this.#unread > 0) return
    this.#breakAt(name)
    this.#beginPart(name)
    if (name === 'pre' || name === 'textarea') this.#exact++
    if (name === 'li') this.out.exact('- ')
    if (name === 'tr') this.#beginRow()
    if (name === 'td') this.#isHeaderRow = false
    if (cells.has(name) && this.#cellsInRow++ > 0) this.out.beginCell()
  }

  attribute(name: string, value: string): void {
    // What a picture shows, in the author's words.
    if (name === 'alt' && this.#element === 'img' && this.#unread === 0) this.out.flow(` ${value} `)
  }

  close(name: string): void {
    if (this.#unreadNames.has(name)) this.#unread = Math.max(0, this.#unread - 1)
    if (this.#unread > 0) return
    if (name === 'pre' || name === 'textarea') this.#exact = Math.max(0, this.#exact - 1)
    if (name === 'tr') this.#endRow()
    if (name === 'title' || heading.test(name)) this.out.endHeading()
    if (Object.hasOwn(blocks, name)) this.out.endBlock()
    if (name !== 'br') this.#breakAt(name)
  }

  text(text: string): void {
    if (this.#unread > 0) return
    if (this.#exact > 0) this.out.exact(text)
    else this.out.flow(text)
  }

  #beginPart(name: string): void {
    const level = heading.exec(name)?.[1]
    if (level !== undefined) this.out.beginHeading(Number(level))
    else if (name === 'title') this.out.beginHeading('title')
    else if (Object.hasOwn(blocks, name)) this.out.beginBlock(blocks[name] as Block)
  }

  #beginRow(): void {
    this.#cellsInRow = 0
    this.#isHeaderRow = true
    this.out.listen()
  }

  #endRow(): void {
    if (this.#isHeaderRow && this.#cellsInRow > 1) this.out.header(this.out.heard())
    this.#isHeaderRow = false
  }

  #breakAt(name: string): void {
    if (paragraphs.has(name)) this.out.breakLine(2)
    else if (lines.has(name)) this.out.breakLine()
  }
}
