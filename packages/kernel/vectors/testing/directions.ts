// Chunks with vectors that a test can reason about.
import { unit } from '../numbers.ts'
import type { VectorChunk } from '../vectors.ts'

/** A direction that is the same for the same seed, and far from those of other seeds. */
export function direction(seed: number, dimensions = 16): Float32Array {
  let state = Math.imul(seed + 1, 0x9e3779b1) | 1
  const next = (): number => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return state / 2 ** 31
  }
  for (let skipped = 0; skipped < 8; skipped++) next()
  return unit(Float32Array.from({ length: dimensions }, next))
}

/** Chunks of the directions `from`, `from + 1`, …, which say so in words. */
export const chunksFrom = (from: number, count: number, dimensions = 16): VectorChunk[] =>
  Array.from({ length: count }, (_, ordinal) => ({
    ordinal,
    text: `chunk number${from + ordinal}`,
    vector: direction(from + ordinal, dimensions),
  }))
