// The directions in which sentences differ most come first, so that the first numbers of an embedding tell the most.
// Turning into them changes no distance and no angle. They were found on many sentences (training/embeddings).
import { readFile } from 'node:fs/promises'
import { type Axes, sentenceNumbers } from './sentence-model.ts'

const axesFile = new URL('../../../../weights/embeddings/axes.bin', import.meta.url)

export async function loadAxes(): Promise<Axes> {
  const bytes = await readFile(axesFile)
  if (bytes.length !== sentenceNumbers ** 2) throw new Error(`${axesFile.pathname} is damaged: ${bytes.length} bytes`)
  const stored = new Int8Array(bytes.buffer, bytes.byteOffset, bytes.length)
  const rows = Array.from({ length: sentenceNumbers }, (_, row) =>
    Float64Array.from(stored.subarray(row * sentenceNumbers, (row + 1) * sentenceNumbers)),
  )
  return straighten(rows)
}

/**
 * The file keeps a byte for each number, which leaves the angles a little off: this makes them right again, as right
 * as numbers can be. Additions, multiplications and roots of doubles alone, so it gives the same bits everywhere.
 */
function straighten(rows: Float64Array[]): Axes {
  for (const [index, row] of rows.entries()) {
    for (const earlier of rows.slice(0, index)) addScaled(row, earlier, -dot(row, earlier))
    const length = Math.sqrt(dot(row, row))
    for (const [at, value] of row.entries()) row[at] = value / length
  }
  return rows
}

function dot(a: Float64Array, b: Float64Array): number {
  let sum = 0
  for (let at = 0; at < sentenceNumbers; at++) sum += (a[at] ?? 0) * (b[at] ?? 0)
  return sum
}

function addScaled(row: Float64Array, other: Float64Array, factor: number): void {
  for (let at = 0; at < sentenceNumbers; at++) row[at] = (row[at] ?? 0) + (other[at] ?? 0) * factor
}
