// Pieces of text on a page, and the lines they stand in.

/** In points, from the lower left corner. */
export interface Run {
  text: string
  x: number
  y: number
  width: number
  /** Of its letters. */
  size: number
}

export interface Line {
  cells: string[]
  x: number
  end: number
  y: number
  size: number
}

/** Letters that are nearer belong to one word, and words that are further apart to different cells; in sizes. */
const wordGap = 0.15
const cellGap = 2
/** Raised and lowered letters belong to their line. */
const sameLine = 0.5
const bullet = /^(?:[•‣◦▪●○–—*·-]|\(?[0-9a-z]{1,3}[.)]|\[\d{1,3}\])$/i

/** From top to bottom; the pieces of a line from left to right. */
export function linesOf(runs: readonly Run[]): Line[] {
  const sorted = [...runs].sort((a, b) => b.y - a.y || a.x - b.x)
  const lines: Line[] = []
  let row: Run[] = []
  const finish = (): void => {
    if (row.length > 0) lines.push(lineOf(row))
    row = []
  }
  for (const run of sorted) {
    const [first] = row
    if (first !== undefined && first.y - run.y > sameLine * Math.max(first.size, run.size)) finish()
    row.push(run)
  }
  finish()
  return lines
}

function lineOf(row: Run[]): Line {
  row.sort((a, b) => a.x - b.x)
  const cells: string[] = []
  let end = Number.NEGATIVE_INFINITY
  let [size, y] = [0, 0]
  for (const run of row) {
    if (run.size > size) [size, y] = [run.size, run.y]
    const gap = run.x - end
    const last = cells.length - 1
    if (last < 0 || (gap > cellGap * run.size && !bullet.test(cells[last] ?? ''))) cells.push(run.text)
    else cells[last] += `${gap > wordGap * run.size && !/\s$/.test(cells[last] ?? '') ? ' ' : ''}${run.text}`
    end = Math.max(end, run.x + run.width)
  }
  return { cells: cells.map((cell) => cell.trim()), x: row[0]?.x ?? 0, end, y, size }
}

export const lineText = ({ cells }: Line, isRow: boolean): string => cells.join(isRow ? ' | ' : '  ')
