// The text of a PDF, page by page.
import { getDocumentProxy } from 'unpdf'
import type { DocumentLimits } from '../limits.ts'
import { problems } from '../problems.ts'

type Pdf = Awaited<ReturnType<typeof getDocumentProxy>>
type TextContent = Awaited<ReturnType<Awaited<ReturnType<Pdf['getPage']>>['getTextContent']>>
type Item = TextContent['items'][number]

/** A line that is this much further from the one before begins a paragraph. */
const paragraphGap = 1.6
const onlyErrors = 0

export async function* pdfText(
  pieces: AsyncIterable<Uint8Array>,
  bytes: number,
  { pages }: Pick<DocumentLimits, 'pages'>,
): AsyncGenerator<string> {
  const pdf = await open(await gather(pieces, bytes))
  try {
    if (pdf.numPages > pages) throw problems.tooManyPages(pages)
    for (let number = 1; number <= pdf.numPages; number++) {
      if (number > 1) yield '\n\f'
      yield await pageText(pdf, number)
    }
  } finally {
    await pdf.loadingTask.destroy()
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

async function open(data: Uint8Array): Promise<Pdf> {
  try {
    return await getDocumentProxy(data, { verbosity: onlyErrors, useSystemFonts: false })
  } catch (error) {
    throw (error as Error).name === 'PasswordException' ? problems.encrypted('PDF') : problems.damaged('PDF', error)
  }
}

async function pageText(pdf: Pdf, number: number): Promise<string> {
  try {
    const page = await pdf.getPage(number)
    const { items } = await page.getTextContent()
    page.cleanup()
    return joinItems(items)
  } catch (error) {
    throw problems.damaged(`PDF (page ${number})`, error)
  }
}

/** Lines as they stand on the page, with an empty one where there is a gap. */
function joinItems(items: readonly Item[]): string {
  let text = ''
  let lastLine: number | undefined
  let isLineStart = true
  for (const item of items) {
    if (!('str' in item)) continue
    const line = item.transform[5] as number
    if (isLineStart && lastLine !== undefined && item.height > 0) {
      if (Math.abs(lastLine - line) > item.height * paragraphGap) text += '\n'
    }
    if (item.str !== '') {
      text += item.str
      lastLine = line
      isLineStart = false
    }
    if (item.hasEOL) {
      text += '\n'
      isLineStart = true
    }
  }
  return text
}
