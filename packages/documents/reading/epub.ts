// The text of an EPUB book: its chapters in their order, each a web page.
import { posix } from 'node:path'
import type { MarkedText } from '../marks.ts'
import { problems } from '../problems.ts'
import { titleMark } from './document-title.ts'
import { innerHtmlText } from './html.ts'
import { visit } from './office-part.ts'
import type { Zip } from './zip.ts'

export const epubContainer = 'META-INF/container.xml'

export async function* epubText(zip: Zip, maxChapters: number): AsyncGenerator<MarkedText> {
  let book = ''
  await visit(zip, epubContainer, {
    rootfile: (attributes) => {
      book ||= attributes['full-path'] ?? ''
    },
  })
  const chapters = await chaptersOf(zip, book)
  if (chapters.length === 0) throw problems.damaged('EPUB book')
  if (chapters.length > maxChapters) throw problems.tooManyPages(maxChapters)
  yield* titleMark(zip, book)
  for (const [index, chapter] of chapters.entries()) {
    if (index > 0) yield '\n\f'
    yield* innerHtmlText(zip.text(chapter))
  }
}

async function chaptersOf(zip: Zip, book: string): Promise<string[]> {
  const paths = new Map<string, string>()
  const order: string[] = []
  await visit(zip, book, {
    item: ({ id = '', href = '' }) => paths.set(id, posix.join(posix.dirname(book), decoded(href))),
    itemref: ({ idref = '' }) => order.push(idref),
  })
  return order.flatMap((id) => paths.get(id) ?? []).filter((path) => zip.has(path))
}

function decoded(href: string): string {
  try {
    return decodeURIComponent(href)
  } catch {
    return href
  }
}
