// The lines of a page, in the order in which they are read.
import type { getDocumentProxy } from 'unpdf'
import { problems } from '../../problems.ts'
import { linesInOrder } from './columns.ts'
import type { Line, Run } from './runs.ts'

type Pdf = Awaited<ReturnType<typeof getDocumentProxy>>
type TextContent = Awaited<ReturnType<Awaited<ReturnType<Pdf['getPage']>>['getTextContent']>>
type Item = TextContent['items'][number]
type TextItem = Extract<Item, { str: string }>

export async function pageLines(pdf: Pdf, number: number): Promise<Line[]> {
  try {
    const page = await pdf.getPage(number)
    const { items } = await page.getTextContent()
    page.cleanup()
    const isPlain = items.every((item) => !('str' in item) || item.dir === 'ltr' || item.str.trim() === '')
    return isPlain ? linesInOrder(items.flatMap(runOf)) : linesAsDrawn(items)
  } catch (error) {
    throw problems.damaged(`PDF (page ${number})`, error)
  }
}

function runOf(item: Item): Run[] {
  if (!('str' in item) || item.str.trim() === '') return []
  const [a, b, , , x, y] = item.transform as number[]
  const size = item.height > 0 ? item.height : Math.hypot(a ?? 0, b ?? 0)
  return [{ text: item.str, x: x ?? 0, y: y ?? 0, width: Math.max(0, item.width), size }]
}

/** Where text does not run from left to right, its own order is the best there is. */
function linesAsDrawn(items: readonly Item[]): Line[] {
  const lines: Line[] = []
  let text = ''
  for (const item of items) {
    if (!('str' in item)) continue
    text += item.str
    if (!item.hasEOL) continue
    lines.push(drawnLine(text, item))
    text = ''
  }
  const last = items.findLast((item) => 'str' in item)
  if (last !== undefined && 'str' in last && text !== '') lines.push(drawnLine(text, last))
  return lines.filter(({ cells }) => cells[0] !== '')
}

function drawnLine(text: string, { transform, width, height }: TextItem): Line {
  const [x = 0, y = 0] = (transform as number[]).slice(4)
  return { cells: [text.trim()], x, end: x + width, y, size: height }
}
