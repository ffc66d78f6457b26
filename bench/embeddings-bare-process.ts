// The same model read in the plainest way, for comparison: words from a regular expression, pieces from a map of texts,
// and one row after the other. In a process of its own.
import { readFileSync } from 'node:fs'

const folder = new URL('../weights/embeddings/', import.meta.url)
const read = (name: string): Buffer => readFileSync(new URL(name, folder))
const { numbers } = JSON.parse(read('model.json').toString()) as { numbers: number }
const ids = new Map(
  read('vocabulary.txt')
    .toString()
    .trimEnd()
    .split('\n')
    .map((piece, id) => [piece, id]),
)
const rows = new Int8Array(read('table.i8'))
const scales = new Float32Array(Uint8Array.from(read('scales.f32')).buffer)
const unknown = 1

function piecesOf(word: string): number[] {
  const pieces: number[] = []
  for (let at = 0; at < word.length; ) {
    let end = word.length
    while (end > at && !ids.has((at === 0 ? '' : '##') + word.slice(at, end))) end--
    if (end === at) return [unknown]
    pieces.push(ids.get((at === 0 ? '' : '##') + word.slice(at, end)) ?? unknown)
    at = end
  }
  return pieces
}

function embed(text: string): Float32Array {
  const sum = new Float32Array(numbers)
  const words = text
    .normalize('NFD')
    .replace(/\p{Mn}/gu, '')
    .toLowerCase()
  for (const word of words.match(/[\p{L}\p{N}\p{M}]+|[^\s\p{L}\p{N}]/gu) ?? []) {
    for (const piece of piecesOf(word)) {
      const scale = scales[piece] ?? 0
      for (let at = 0; at < numbers; at++) sum[at] = (sum[at] ?? 0) + (rows[piece * numbers + at] ?? 0) * scale
    }
  }
  return sum
}

process.on('message', (texts: string[]) => {
  const startedAt = process.cpuUsage()
  const vectors = texts.map(embed)
  const { user, system } = process.cpuUsage(startedAt)
  process.send?.({ seconds: (user + system) / 1e6, vectors: vectors.length })
})
process.once('disconnect', () => process.exit())
