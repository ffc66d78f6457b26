// What stands on every page and is no part of the text: running heads, running feet, page numbers.
import { type Line, lineText } from './runs.ts'

/** At each end of a page, apart from the text by so much of their size. */
const edgeLines = 2
const edgeGap = 1.5
/** Heads of left and right pages may differ. */
const pagesBack = 2
const maxLength = 120
const pageNumber = /^[\s[(–-]*(?:(?:page|seite|p\.|s\.)\s*)?\d{1,4}(?:\s*(?:of|von|\/)\s*\d{1,4})?[\s\])–-]*$/i

export class Furniture {
  #pages: Set<string>[] = []

  /** The lines that are left. The first page on which a head stands keeps it: it may tell what the document is. */
  remove(lines: readonly Line[]): Line[] {
    const edges = edgesOf(lines)
    const names = new Map([...edges].map((line) => [line, nameOf(line)]))
    const isFurniture = (line: Line): boolean => {
      const name = names.get(line)
      return (
        name !== undefined && (pageNumber.test(lineText(line, false)) || this.#pages.some((page) => page.has(name)))
      )
    }
    const left = lines.filter((line) => !isFurniture(line))
    this.#pages = [new Set(names.values()), ...this.#pages].slice(0, pagesBack)
    // A page of nothing else is a page all the same.
    return left.length === 0 ? [...lines] : left
  }
}

function edgesOf(lines: readonly Line[]): Set<Line> {
  const fromTop = [...lines].sort((a, b) => b.y - a.y)
  const edges = [...outermost(fromTop), ...outermost(fromTop.toReversed())]
  return new Set(edges.filter((line) => lineText(line, false).length <= maxLength))
}

/** A line or two, and then a gap. */
function outermost(lines: readonly Line[]): Line[] {
  for (let count = 1; count <= edgeLines; count++) {
    const [last, next] = [lines[count - 1], lines[count]]
    if (last === undefined || next === undefined) return []
    if (Math.abs(last.y - next.y) > edgeGap * Math.max(last.size, next.size)) return lines.slice(0, count)
  }
  return []
}

/** The same words at the same height, whatever the page's number. */
function nameOf(line: Line): string {
  const words = lineText(line, false).toLowerCase().replace(/\d+/g, '#').replace(/\s+/g, ' ')
  return `${Math.round(line.y / 4)} ${words}`
}
