// The text of a PDF, page by page.
import { Buffer } from 'node:buffer'
import { getDocumentProxy } from 'unpdf'
import type { DocumentLimits } from '../../limits.ts'
import type { MarkedText } from '../../marks.ts'
import { problems } from '../../problems.ts'
import { realTitle } from '../document-title.ts'
import { Furniture } from './furniture.ts'
import { outlineOf } from './outline.ts'
import { pageLines } from './page-lines.ts'
import { pageText } from './page-text.ts'
import { type Line, lineText } from './runs.ts'

type Pdf = Awaited<ReturnType<typeof getDocumentProxy>>

const onlyErrors = 0
/** Pictures of pages have no more letters on them than a stamp or a page number. */
const scannedLetters = 20
/** Sizes of letters differ by a little within a text. */
const sizeStep = 0.5
/** So much text tells which size is the ordinary one. */
const minBodyLetters = 200

export async function* pdfText(
  pieces: AsyncIterable<Uint8Array>,
  bytes: number,
  { pages }: Pick<DocumentLimits, 'pages'>,
): AsyncGenerator<MarkedText> {
  const data = await gather(pieces, bytes)
  const pictures = countPictures(data)
  const pdf = await open(data)
  try {
    if (pdf.numPages > pages) throw problems.tooManyPages(pages)
    const mayBeScanned = pictures >= pdf.numPages / 2
    yield* mayBeScanned ? unlessScanned(textOf(pdf), scannedLetters * pdf.numPages) : textOf(pdf)
  } finally {
    await pdf.loadingTask.destroy()
  }
}

/** Nothing is given away before it is sure: what is recognized in the pictures would take its place. */
async function* unlessScanned(text: AsyncIterable<MarkedText>, minLetters: number): AsyncGenerator<MarkedText> {
  const held: MarkedText[] = []
  let letters = 0
  for await (const piece of text) {
    held.push(piece)
    if (typeof piece === 'string') letters += piece.trim().length
    // An empty text shows that the reader is at work.
    if (letters < minLetters) yield ''
    else yield* held.splice(0)
  }
  if (letters < minLetters) throw problems.scanned()
}

async function* textOf(pdf: Pdf): AsyncGenerator<MarkedText> {
  const title = await titleOf(pdf)
  if (title !== undefined) yield { mark: 'title', text: title }
  const outline = await outlineOf(pdf)
  const furniture = new Furniture()
  const sizes = new Map<number, number>()
  for (let number = 1; number <= pdf.numPages; number++) {
    if (number > 1) yield '\n\f'
    const lines = furniture.remove(await pageLines(pdf, number))
    noteSizes(lines, sizes)
    const bodySize = outline.size > 0 ? undefined : bodySizeOf(sizes)
    yield* pageText(lines, { bodySize, outline: outline.get(number) ?? [] })
  }
}

/** One array of the right size: growing one would need the memory twice. */
async function gather(pieces: AsyncIterable<Uint8Array>, bytes: number): Promise<Uint8Array> {
  const whole = new Uint8Array(bytes)
  let at = 0
  for await (const piece of pieces) {
    whole.set(piece, at)
    at += piece.length
  }
  return whole.subarray(0, at)
}

/** What says that something is a picture is never packed. */
function countPictures(data: Uint8Array): number {
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.length)
  let count = 0
  for (let at = bytes.indexOf('/Image'); at >= 0; at = bytes.indexOf('/Image', at + 1))
    if (/\/Subtype\s*$/.test(bytes.toString('latin1', Math.max(0, at - 12), at))) count++
  return count
}

async function open(data: Uint8Array): Promise<Pdf> {
  try {
    return await getDocumentProxy(data, { verbosity: onlyErrors, useSystemFonts: false })
  } catch (error) {
    throw (error as Error).name === 'PasswordException' ? problems.encrypted('PDF') : problems.damaged('PDF', error)
  }
}

async function titleOf(pdf: Pdf): Promise<string | undefined> {
  const metadata = await pdf.getMetadata().catch(() => undefined)
  const { Title } = (metadata?.info ?? {}) as { Title?: unknown }
  return typeof Title === 'string' ? realTitle(Title.toWellFormed().replaceAll('\0', '')) : undefined
}

/** Adds to how many letters there are of each size. */
function noteSizes(lines: readonly Line[], sizes: Map<number, number>): void {
  for (const line of lines) {
    const size = Math.round(line.size / sizeStep) * sizeStep
    sizes.set(size, (sizes.get(size) ?? 0) + lineText(line, false).length)
  }
}

function bodySizeOf(sizes: ReadonlyMap<number, number>): number | undefined {
  const [most] = [...sizes].sort((a, b) => b[1] - a[1])
  return most !== undefined && most[1] >= minBodyLetters ? most[0] : undefined
}
