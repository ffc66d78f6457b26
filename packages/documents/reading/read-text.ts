// The text of a file of any kind, as its bytes arrive.
import { Buffer } from 'node:buffer'
import type { DocumentLimits } from '../limits.ts'
import type { MarkedText } from '../marks.ts'
import { problems } from '../problems.ts'
import { DelimitedMarker } from './delimited.ts'
import { docxText } from './docx.ts'
import { emailText } from './email.ts'
import { decode } from './encoding.ts'
import { epubContainer, epubText } from './epub.ts'
import { htmlText } from './html.ts'
import { extensionOf, kindOf, sampleBytes } from './kind.ts'
import { type LineMarker, markLines } from './line-marks.ts'
import { MarkdownMarker } from './markdown.ts'
import { relationsOf } from './office-part.ts'
import { openDocumentContent, openDocumentText } from './open-document.ts'
import { PlainTextMarker } from './plain-text.ts'
import { pptxText } from './pptx.ts'
import { SpooledFile } from './spooled-file.ts'
import { xlsxText } from './xlsx.ts'
import { Zip } from './zip.ts'

export interface TextSource {
  filename: string
  bytes: number
  pieces: AsyncIterable<Uint8Array>
}

export async function* readText(source: TextSource, limits: DocumentLimits): AsyncGenerator<MarkedText> {
  const { sample, isWhole, pieces } = await takeSample(source.pieces)
  if (sample.length === 0) throw problems.empty()
  const kind = kindOf(source.filename, sample, isWhole)
  if (kind.form === 'zip') yield* zipText(pieces, limits)
  else if (kind.form === 'pdf') yield* pdf(pieces, source.bytes, limits)
  else if (kind.form === 'email') yield* emailText(pieces)
  else {
    const text = valid(decode(pieces, kind.encoding))
    yield* kind.form === 'html' ? htmlText(text) : textWithMarks(text, extensionOf(source.filename))
  }
}

const markers: Record<string, () => LineMarker> = {
  md: () => new MarkdownMarker(),
  markdown: () => new MarkdownMarker(),
  mdx: () => new MarkdownMarker(),
  txt: () => new PlainTextMarker(),
  text: () => new PlainTextMarker(),
  rst: () => new PlainTextMarker(),
  '': () => new PlainTextMarker(),
  csv: () => new DelimitedMarker(),
  tsv: () => new DelimitedMarker(),
}

function textWithMarks(text: AsyncIterable<string>, extension: string): AsyncIterable<MarkedText> {
  const marker = Object.hasOwn(markers, extension) ? markers[extension]?.() : undefined
  return marker === undefined ? text : markLines(text, marker)
}

/** The PDF engine is large: it is loaded for the first PDF. */
async function* pdf(
  pieces: AsyncIterable<Uint8Array>,
  bytes: number,
  limits: DocumentLimits,
): AsyncGenerator<MarkedText> {
  const { pdfText } = await import('./pdf/pdf.ts')
  yield* pdfText(pieces, bytes, limits)
}

async function* valid(text: AsyncIterable<string>): AsyncGenerator<string> {
  try {
    yield* text
  } catch (error) {
    throw error instanceof TypeError ? problems.badEncoding() : error
  }
}

async function* zipText(pieces: AsyncIterable<Uint8Array>, limits: DocumentLimits): AsyncGenerator<MarkedText> {
  const file = await SpooledFile.write(pieces)
  try {
    yield* documentText(await Zip.open(file, limits), limits)
  } finally {
    await file.close()
  }
}

async function* documentText(zip: Zip, limits: DocumentLimits): AsyncGenerator<MarkedText> {
  const main = (await relationsOf(zip, '')).find(({ type }) => type === 'officeDocument')?.target
  if (main !== undefined && zip.has(main)) {
    if (main.startsWith('word/')) yield* docxText(zip, main)
    else if (main.startsWith('ppt/')) yield* pptxText(zip, main, limits.pages)
    else if (main.startsWith('xl/')) yield* xlsxText(zip, main)
    else throw problems.unsupportedKind('an Office file of an unknown kind')
  } else if (zip.has(openDocumentContent)) yield* openDocumentText(zip)
  else if (zip.has(epubContainer)) yield* epubText(zip, limits.pages)
  else throw problems.unsupportedKind('a ZIP archive')
}

/** The beginning of a file, and the whole of it again. */
async function takeSample(
  source: AsyncIterable<Uint8Array>,
): Promise<{ sample: Uint8Array; isWhole: boolean; pieces: AsyncIterable<Uint8Array> }> {
  const rest = source[Symbol.asyncIterator]()
  const taken: Uint8Array[] = []
  let length = 0
  let isWhole = false
  while (length < sampleBytes && !isWhole) {
    const { done, value } = await rest.next()
    if (done) isWhole = true
    else {
      taken.push(value)
      length += value.length
    }
  }
  return { sample: Buffer.concat(taken), isWhole, pieces: joined(taken, rest) }
}

async function* joined(taken: Uint8Array[], rest: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield* taken.splice(0)
  for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value
}
