// Pages in columns: the text of one goes on at its foot with the head of the next.
import { type Line, linesOf, type Run } from './runs.ts'

/** A gutter is at least so wide, in sizes of letters, and columns at least so many lines long. */
const minGutter = 0.8
const minLines = 6
/** Lines of prose fill their column, and are not short; cells of a table do not, or are. */
const minFill = 0.6
const minLineSizes = 10
/** Where a gutter can be, as shares of the width of the text. */
const margin = 0.15
const maxColumns = 4
/** Pages are some hundreds of points wide. */
const maxWidth = 20_000

/** Lines in the order in which they are read. */
export function linesInOrder(runs: readonly Run[], depth = 1): Line[] {
  const gutter = depth < maxColumns ? gutterOf(runs) : undefined
  if (gutter === undefined) return linesOf(runs)
  const ordered: Line[] = []
  let band: Run[] = []
  const finish = (): void => {
    for (const isLeft of [true, false]) {
      const column = band.filter(({ x }) => x < gutter === isLeft)
      if (column.length > 0) ordered.push(...linesInOrder(column, depth + 1))
    }
    band = []
  }
  const crossing = runs.filter((run) => run.x < gutter && run.x + run.width > gutter)
  const heights = linesOf(crossing).map(({ y, size }) => ({ y, size }))
  let rest = [...runs]
  // What stands across both columns parts the page into bands.
  for (const { y, size } of heights) {
    const isInLine = (run: Run): boolean => Math.abs(run.y - y) <= size / 2
    band = rest.filter((run) => run.y > y && !isInLine(run))
    finish()
    ordered.push(...linesOf(rest.filter(isInLine)))
    rest = rest.filter((run) => run.y <= y && !isInLine(run))
  }
  band = rest
  finish()
  return ordered
}

/** Where two columns part, if there are any. */
function gutterOf(runs: readonly Run[]): number | undefined {
  if (runs.length < 2 * minLines) return undefined
  const left = runs.reduce((least, { x }) => Math.min(least, x), Number.POSITIVE_INFINITY)
  const right = runs.reduce((most, { x, width }) => Math.max(most, x + width), Number.NEGATIVE_INFINITY)
  const width = right - left
  if (!(width > 0 && width < maxWidth)) return undefined
  const size = median(runs.map((run) => run.size))
  for (const place of gaps(runs, left, width, size * minGutter)) {
    const narrow = runs.filter((run) => !(run.x < place && run.x + run.width > place))
    const sides = [narrow.filter(({ x }) => x < place), narrow.filter(({ x }) => x >= place)]
    if (narrow.length > runs.length / 2 && sides.every(isProse)) return place
  }
  return undefined
}

/** The middles of stretches that only few lines cross, the widest first. */
function gaps(runs: readonly Run[], left: number, width: number, minimum: number): number[] {
  const changes = new Int32Array(Math.ceil(width) + 2)
  for (const run of runs) {
    const isAcross = run.width > width / 2
    const from = Math.max(0, Math.floor(run.x - left))
    const to = Math.min(changes.length - 1, Math.ceil(run.x + run.width - left))
    if (isAcross || to <= from) continue
    changes[from] = (changes[from] ?? 0) + 1
    changes[to] = (changes[to] ?? 0) - 1
  }
  const found: { middle: number; width: number }[] = []
  let [depth, since] = [0, 0]
  for (let at = 0; at < changes.length; at++) {
    const before = depth
    depth += changes[at] ?? 0
    if (before === 0 && depth > 0 && at - since >= minimum) found.push({ middle: (since + at) / 2, width: at - since })
    if (before > 0 && depth === 0) since = at
  }
  return found
    .filter(({ middle }) => middle > width * margin && middle < width * (1 - margin))
    .sort((a, b) => b.width - a.width)
    .slice(0, maxColumns)
    .map(({ middle }) => left + middle)
}

function isProse(runs: readonly Run[]): boolean {
  const lines = linesOf(runs)
  if (lines.length < minLines) return false
  const left = median(lines.map(({ x }) => x))
  const right = lines.reduce((most, { end }) => Math.max(most, end), left)
  const length = median(lines.map(({ x, end }) => end - x))
  return length >= minFill * (right - left) && length >= minLineSizes * median(lines.map(({ size }) => size))
}

function median(values: number[]): number {
  values.sort((a, b) => a - b)
  return values[values.length >> 1] ?? 0
}
