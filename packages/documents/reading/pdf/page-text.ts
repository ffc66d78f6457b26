// The text of a page out of its lines: words that were parted at a line's end are whole again, tables are rows of cells,
// and lines in larger letters are headings.
import type { Mark, MarkedText } from '../../marks.ts'
import { type Line, lineText } from './runs.ts'

/** A line that is this much further from the one before begins a paragraph. */
const paragraphGap = 1.6
/** Of a heading's letters to those of the text. */
const headingSizes: readonly [ratio: number, level: number][] = [
  [1.7, 1],
  [1.35, 2],
  [1.15, 3],
]
const maxHeadingLength = 150

export interface PageContext {
  /** Of the letters of ordinary text; undefined while nobody knows. */
  bodySize: number | undefined
  /** Headings that the document's own outline has on this page. */
  outline: readonly { level: number; text: string }[]
}

interface PageLine extends Line {
  text: string
  /** Of a table. */
  isRow: boolean
}

export function* pageText(lines: readonly Line[], context: PageContext): Generator<MarkedText> {
  const rows = lines.map((line, index): PageLine => {
    const isRow = isTabular(line) && [lines[index - 1], lines[index + 1]].some((other) => other && isTabular(other))
    return { ...line, isRow, text: lineText(line, isRow) }
  })
  joinWords(rows)
  const shown = rows.filter(({ text }) => text !== '')
  const headings = context.outline.length > 0 ? outlineHeadings(shown, context) : sizeHeadings(shown, context)
  for (const [index, line] of shown.entries()) {
    const previous = shown[index - 1]
    if (previous?.isRow && !line.isRow) yield { mark: 'end' }
    if (previous !== undefined) yield isApart(previous, line) ? '\n\n' : '\n'
    if (line.isRow && !previous?.isRow) yield { mark: 'begin', block: 'table' }
    yield* headings.get(index) ?? []
    yield line.text
  }
  if (shown.at(-1)?.isRow) yield { mark: 'end' }
}

const isTabular = ({ cells }: Line): boolean => cells.length > 1

/** There is a gap between them, or another column begins. */
const isApart = (above: Line, below: Line): boolean =>
  below.size > 0 && Math.abs(above.y - below.y) > below.size * paragraphGap

/** A word that was parted at the end of a line is whole in that line. */
function joinWords(lines: PageLine[]): void {
  const whole = lines.map(({ text }) => text).join('\n')
  for (const [index, line] of lines.entries()) {
    const next = lines[index + 1]
    const before = /(\p{L}+)[-\u00ad\u2010]$/u.exec(line.text)?.[1]
    const after = next === undefined ? undefined : /^(\p{Ll}+)\S*/u.exec(next.text)
    if (before === undefined || next === undefined || !after || line.isRow || next.isRow) continue
    // Where the same word stands with its hyphen elsewhere, it has one.
    const isCompound = whole.includes(`${before}-${after[1]}`)
    line.text = `${line.text.slice(0, -1)}${isCompound ? '-' : ''}${after[0]}`
    next.text = next.text.slice(after[0].length).trimStart()
  }
}

function outlineHeadings(lines: readonly PageLine[], { outline }: PageContext): Map<number, Mark[]> {
  const marks = new Map<number, Mark[]>()
  let from = 0
  for (const { level, text } of outline) {
    const wanted = folded(text)
    const found = lines.findIndex((line, index) => index >= from && isTitled(folded(line.text), wanted))
    const place = found < 0 ? from : found
    marks.set(place, [...(marks.get(place) ?? []), { mark: 'heading', level, text }])
    from = place
  }
  return marks
}

const folded = (text: string): string => text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '')
const isTitled = (line: string, title: string): boolean =>
  title !== '' && line !== '' && (line.endsWith(title) || (line.length > 8 && title.startsWith(line)))

function sizeHeadings(lines: readonly PageLine[], { bodySize }: PageContext): Map<number, Mark[]> {
  const marks = new Map<number, Mark[]>()
  if (bodySize === undefined) return marks
  for (let index = 0; index < lines.length; index++) {
    const level = levelOf(lines[index], bodySize)
    if (level === undefined) continue
    let last = index
    // A long heading goes over several lines.
    while (levelOf(lines[last + 1], bodySize) === level && !isApart(lines[last] as Line, lines[last + 1] as Line))
      last++
    const text = lines.slice(index, last + 1).map((line) => line.text)
    if (text.join(' ').length <= maxHeadingLength) marks.set(index, [{ mark: 'heading', level, text: text.join(' ') }])
    index = last
  }
  return marks
}

function levelOf(line: PageLine | undefined, bodySize: number): number | undefined {
  if (line === undefined || line.isRow || !/\p{L}{2}/u.test(line.text) || /[.,;]$/.test(line.text)) return undefined
  return headingSizes.find(([ratio]) => line.size >= bodySize * ratio)?.[1]
}
