// Ten megabytes of text as people have it: in one plain file, and in documents of many kinds.
import { Buffer } from 'node:buffer'
import { docxFile, wordParagraph, xlsxFile } from '@atoll/documents/testing/office-files'
import { pdfFile } from '@atoll/documents/testing/pdf-file'
import { realSentences } from '../vector-data.ts'

export interface CorpusFile {
  name: string
  content: Uint8Array<ArrayBuffer>
}

const megabyte = 1024 ** 2
const totalBytes = 10 * megabyte
const filesOfAKind = 20
const sentencesPerParagraph = 5
const linesPerPage = 45

const known = realSentences(10_000)

/** So many characters of paragraphs; each file begins elsewhere, so that no two are alike. */
function paragraphs(file: number, length: number): string[] {
  const found: string[] = []
  let next = file * 7919
  for (let size = 0; size < length; ) {
    const sentences = Array.from({ length: sentencesPerParagraph }, () => known[next++ % known.length] ?? '')
    const paragraph = `${sentences.join(' ')} (${file}.${found.length})`
    found.push(paragraph)
    size += paragraph.length + 2
  }
  return found
}

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
const bytes = (content: string | Uint8Array): Uint8Array<ArrayBuffer> => new Uint8Array(Buffer.from(content))

export const plainText = (): CorpusFile[] => [
  { name: 'all.txt', content: bytes(paragraphs(0, totalBytes).join('\n\n')) },
]

const kinds: Record<string, (texts: string[]) => string | Uint8Array> = {
  md: (texts) => texts.map((text, index) => `## Section ${index}\n\n${text}`).join('\n\n'),
  html: (texts) => `<title>Page</title>${texts.map((text) => `<h2>Part</h2><p>${escaped(text)}</p>`).join('\n')}`,
  docx: (texts) => docxFile(texts.map((text) => wordParagraph(escaped(text))).join('')),
  pdf: (texts) => pdfFile(pagesOf(texts)),
  xlsx: (texts) => xlsxFile('Sheet', [['place', 'text'], ...texts.map((text, index) => [index, escaped(text)])]),
}

export function mixedDocuments(): CorpusFile[] {
  const names = Object.keys(kinds)
  const length = totalBytes / (names.length * filesOfAKind)
  return Array.from({ length: names.length * filesOfAKind }, (_, index) => {
    const extension = names[index % names.length] ?? ''
    const content = kinds[extension]?.(paragraphs(index, length)) ?? ''
    return { name: `document-${index}.${extension}`, content: bytes(content) }
  })
}

/** Lines as a printer breaks them. */
function pagesOf(texts: readonly string[]): string[] {
  const lines = texts.flatMap((text) => text.replace(/[^ -~]/g, ' ').match(/.{1,90}(?:\s|$)/g) ?? [])
  return Array.from({ length: Math.ceil(lines.length / linesPerPage) }, (_, page) =>
    lines.slice(page * linesPerPage, (page + 1) * linesPerPage).join('\n'),
  )
}
