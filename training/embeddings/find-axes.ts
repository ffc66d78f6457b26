// Finds the axes of weights/embeddings/axes.bin: the directions in which the vectors of many sentences have most of
// their length, the longest first (eigenvectors of their second moments, by Jacobi's rotations).
//
//   node training/embeddings/find-axes.ts SENTENCES.txt    one sentence per line; a few thousand take some minutes
import { readFileSync, writeFileSync } from 'node:fs'
import { SentenceEncoder } from '../../packages/models/builtin/embeddings/sentence-encoder.ts'
import { loadSentenceModel, sentenceNumbers as size } from '../../packages/models/builtin/embeddings/sentence-model.ts'

const outputFile = new URL('../../weights/embeddings/axes.bin', import.meta.url)
const sweeps = 10
const smallest = 1e-10
const largestByte = 127

const [file] = process.argv.slice(2)
if (file === undefined) throw new Error('Say which file has the sentences.')
const sentences = readFileSync(file, 'utf8').split('\n').filter(Boolean)
writeFileSync(outputFile, bytesOf(eigenvectors(moments(await unitVectors(sentences)))))

async function unitVectors(texts: readonly string[]): Promise<Float32Array[]> {
  const encoder = new SentenceEncoder(await loadSentenceModel())
  const vectors: Float32Array[] = []
  const { signal } = new AbortController()
  const sorted = texts.toSorted((a, b) => a.length - b.length)
  for (let from = 0; from < sorted.length; from += 64) {
    const batch = sorted.slice(from, from + 64)
    const rows = await encoder.encode(batch, signal)
    for (const index of batch.keys()) vectors.push(toUnit(rows.slice(index * size, (index + 1) * size)))
  }
  return vectors
}

function toUnit(row: Float32Array): Float32Array {
  const length = Math.hypot(...row)
  return row.map((value) => value / length)
}

function moments(vectors: readonly Float32Array[]): Float64Array[] {
  const sums = Array.from({ length: size }, () => new Float64Array(size))
  for (const vector of vectors) {
    for (const [row, sum] of sums.entries()) {
      const factor = (vector[row] ?? 0) / vectors.length
      for (let at = 0; at < size; at++) sum[at] = (sum[at] ?? 0) + factor * (vector[at] ?? 0)
    }
  }
  return sums
}

/** In the order of their eigenvalues, the largest first. The matrix is used up. */
function eigenvectors(matrix: Float64Array[]): Float64Array[] {
  const vectors = Array.from({ length: size }, (_, row) => new Float64Array(size).fill(1, row, row + 1))
  for (let sweep = 0; sweep < sweeps; sweep++) {
    for (let p = 0; p < size; p++) for (let q = p + 1; q < size; q++) rotate(matrix, vectors, p, q)
  }
  const value = (row: number): number => matrix[row]?.[row] ?? 0
  const order = Array.from(vectors.keys()).sort((a, b) => value(b) - value(a))
  return order.flatMap((row) => vectors[row] ?? [])
}

function rotate(matrix: Float64Array[], vectors: Float64Array[], p: number, q: number): void {
  const [rowP, rowQ, vectorP, vectorQ] = [matrix[p], matrix[q], vectors[p], vectors[q]]
  if (!rowP || !rowQ || !vectorP || !vectorQ) return
  const between = rowP[q] ?? 0
  if (Math.abs(between) < smallest) return
  const theta = ((rowQ[q] ?? 0) - (rowP[p] ?? 0)) / (2 * between)
  const tangent = (theta < 0 ? -1 : 1) / (Math.abs(theta) + Math.sqrt(theta * theta + 1))
  const cosine = 1 / Math.sqrt(tangent * tangent + 1)
  const sine = tangent * cosine
  for (const row of matrix) turn(row, p, row, q, cosine, sine)
  for (let at = 0; at < size; at++) {
    turn(rowP, at, rowQ, at, cosine, sine)
    turn(vectorP, at, vectorQ, at, cosine, sine)
  }
}

/** One number of each of two rows, as the two coordinates of a point. */
function turn(a: Float64Array, atA: number, b: Float64Array, atB: number, cosine: number, sine: number): void {
  const [x, y] = [a[atA] ?? 0, b[atB] ?? 0]
  a[atA] = cosine * x - sine * y
  b[atB] = sine * x + cosine * y
}

function bytesOf(rows: readonly Float64Array[]): Int8Array {
  const bytes = new Int8Array(size * size)
  for (const [index, row] of rows.entries()) {
    const largest = row.reduce((most, value) => Math.max(most, Math.abs(value)), 0)
    for (const [at, value] of row.entries()) bytes[index * size + at] = Math.round((value / largest) * largestByte)
  }
  return bytes
}
