// Which examples are learnt in which step, in rows that threads work on.
import { shuffled } from '../model/random.ts'
import type { Row } from '../step/row.ts'
import type { Example } from './example.ts'

/** Epochs differ in their order; the same seed gives the same. */
export function epochBatches(count: number, batchSize: number, seed: number, epoch: number): number[][] {
  const order = shuffled(count, seed + 0x9e3779b9 * (epoch + 1))
  const batches: number[][] = []
  for (let first = 0; first < count; first += batchSize) batches.push(order.slice(first, first + batchSize))
  return batches
}

/** Long examples first, each into the first row that has room. */
function packRows(examples: readonly Example[], rowLength: number): Row[] {
  const rows: { length: number; examples: Example[] }[] = []
  const byLength = [...examples].sort((one, other) => other.tokens.length - one.tokens.length)
  for (const example of byLength) {
    const { length } = example.tokens
    let row = rows.find((candidate) => candidate.length + length <= rowLength)
    if (row === undefined) {
      row = { length: 0, examples: [] }
      rows.push(row)
    }
    row.length += length
    row.examples.push(example)
  }
  return rows.map(({ examples: packed }) => rowOf(packed))
}

function rowOf(examples: readonly Example[]): Row {
  let start = 0
  const segments = examples.map(({ tokens }) => {
    const segment = { start, end: start + tokens.length }
    start = segment.end
    return segment
  })
  return {
    tokens: Int32Array.from(examples.flatMap(({ tokens }) => tokens)),
    weights: Float32Array.from(examples.flatMap(({ weights }) => weights)),
    segments,
  }
}

/** Tokens that will be foreseen, by how much they count. The first of an example never is. */
export const weightOf = (examples: readonly Example[]): number =>
  examples.reduce((sum, { weights }) => sum + weights.slice(1).reduce((part, weight) => part + weight, 0), 0)

/** Rows for each thread, so that all have about as much to do; always the same for the same examples. */
export function shareOut(examples: readonly Example[], threads: number, rowLength: number): Row[][] {
  const shares = Array.from({ length: threads }, () => ({ tokens: 0, examples: [] as Example[] }))
  const byLength = [...examples].sort((one, other) => other.tokens.length - one.tokens.length)
  for (const example of byLength) {
    const least = shares.reduce((best, share) => (share.tokens < best.tokens ? share : best))
    least.tokens += example.tokens.length
    least.examples.push(example)
  }
  return shares.map((share) => packRows(share.examples, rowLength))
}
