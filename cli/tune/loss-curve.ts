// The loss of a training as a small picture of letters: `*` of the examples, `o` of those for validation.
import type { LossPoint } from './watched-job.ts'

const rows = 8
const mostColumns = 60

interface Curves {
  train: readonly LossPoint[]
  validation: readonly LossPoint[]
}

/** Empty where there are too few steps for a curve. */
export function lossCurve({ train, validation }: Curves): string {
  const first = train[0]
  const last = train.at(-1)
  if (first === undefined || last === undefined || train.length < 3) return ''
  const columns = Math.min(mostColumns, train.length)
  const columnOf = (step: number): number =>
    Math.min(columns - 1, Math.floor(((step - first.step) / (last.step - first.step + 1)) * columns))
  const [trained, validated] = [means(train, columns, columnOf), means(validation, columns, columnOf)]
  const highest = Math.max(...[...trained, ...validated].filter((loss) => loss !== undefined))
  const rowOf = (loss: number): number => Math.min(rows - 1, Math.floor((1 - loss / Math.max(highest, 1e-9)) * rows))
  const cells = Array.from({ length: rows }, () => Array<string>(columns).fill(' '))
  for (const [sign, losses] of [
    ['*', trained],
    ['o', validated],
  ] as const) {
    for (const [column, loss] of losses.entries()) {
      const row = loss === undefined ? undefined : cells[rowOf(loss)]
      if (row !== undefined) row[column] = sign
    }
  }
  const label = (row: number): string => (row === 0 ? highest.toFixed(2) : row === rows - 1 ? '0' : '').padStart(6)
  const lines = cells.map((row, at) => `${label(at)} |${row.join('').trimEnd()}`)
  const ends = `${first.step}`.padEnd(Math.max(0, columns - `${last.step}`.length)) + last.step
  const what = validation.length === 0 ? 'loss by step' : 'loss by step: * training, o validation'
  return `${[...lines, `       +${'-'.repeat(columns)}`, `        ${ends}`, `        ${what}`].join('\n')}\n`
}

/** Of the steps that fall into one column. */
function means(
  points: readonly LossPoint[],
  columns: number,
  columnOf: (step: number) => number,
): (number | undefined)[] {
  const sums = Array.from({ length: columns }, () => ({ sum: 0, count: 0 }))
  for (const { step, loss } of points) {
    const cell = sums[columnOf(step)]
    if (cell === undefined) continue
    cell.sum += loss
    cell.count++
  }
  return sums.map(({ sum, count }) => (count === 0 ? undefined : sum / count))
}
