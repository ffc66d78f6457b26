// The title that an office file gives itself among its properties.
import type { MarkedText } from '../marks.ts'
import { type MarkupListener, readMarkup } from './markup.ts'
import { TextBuilder } from './text-builder.ts'
import type { Zip } from './zip.ts'

/** What programs fill in when nobody does. */
const empty =
  /^(?:microsoft (?:word|powerpoint|excel)\b.*|(?:untitled|document|presentation|workbook|book|slide|title|powerpoint presentation|word document)[\s\d]*|.*\.(?:docx?|pptx?|xlsx?|dvi|tex|indd|qxd|odt|rtf))$/i
const maxTitleLength = 300

/** Undefined when it is none. */
export function realTitle(text: string): string | undefined {
  const title = text.replace(/\s+/g, ' ').trim()
  return title === '' || title.length > maxTitleLength || empty.test(title) ? undefined : title
}

/** Of the part of an archive that holds its properties; nothing when there is none. */
export async function* titleMark(zip: Zip, part: string): AsyncGenerator<MarkedText> {
  const listener = new TitleListener()
  if (zip.has(part)) for await (const _ of readMarkup(zip.text(part), 'xml', listener));
  const text = realTitle(listener.title)
  if (text !== undefined) yield { mark: 'title', text }
}

class TitleListener implements MarkupListener {
  readonly out = new TextBuilder()
  title = ''
  #isTitle = false
  #isFound = false

  open(name: string): void {
    this.#isTitle = name === 'title' && !this.#isFound
  }

  close(name: string): void {
    if (name === 'title') this.#isFound = true
    this.#isTitle = false
  }

  text(text: string): void {
    if (this.#isTitle && this.title.length <= maxTitleLength) this.title += text
  }
}
