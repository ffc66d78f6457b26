// The readable text of a web page, without scripts and styles.
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

export const htmlText = (pieces: AsyncIterable<string>): AsyncIterable<string> =>
  readMarkup(pieces, 'html', new PageListener())

class PageListener implements MarkupListener {
  readonly out = new TextBuilder()
  #element = ''
  /** Depths inside elements that are not read, and that keep their blanks. */
  #unread = 0
  #exact = 0
  #cellsInRow = 0

  open(name: string): void {
    this.#element = name
    if (unread.has(name)) this.#unread++
    if (this.#unread > 0) return
    this.#breakAt(name)
    if (name === 'pre' || name === 'textarea') this.#exact++
    if (name === 'li') this.out.exact('- ')
    if (name === 'tr') this.#cellsInRow = 0
    if (cells.has(name) && this.#cellsInRow++ > 0) this.out.beginCell()
  }

  attribute(name: string, value: string): void {
    // What a picture shows, in the author's words.
    if (name === 'alt' && this.#element === 'img' && this.#unread === 0) this.out.flow(` ${value} `)
  }

  close(name: string): void {
    if (unread.has(name)) this.#unread = Math.max(0, this.#unread - 1)
    if (this.#unread > 0) return
    if (name === 'pre' || name === 'textarea') this.#exact = Math.max(0, this.#exact - 1)
    if (name !== 'br') this.#breakAt(name)
  }

  text(text: string): void {
    if (this.#unread > 0) return
    if (this.#exact > 0) this.out.exact(text)
    else this.out.flow(text)
  }

  #breakAt(name: string): void {
    if (paragraphs.has(name)) this.out.breakLine(2)
    else if (lines.has(name)) this.out.breakLine()
  }
}
