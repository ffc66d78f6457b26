import type { HybridSearch } from './schema.ts'

interface Weights {
  meaning: number
  words: number
}

/** The larger one is 1: they count by their proportion, and equal ones leave the order as it is. */
export function weightsOf(hybrid: HybridSearch | null | undefined): Weights {
  if (hybrid == null) return { meaning: 1, words: 1 }
  const { embedding_weight: meaning, text_weight: words } = hybrid
  const most = Math.max(meaning, words)
  return { meaning: meaning / most, words: words / most }
}
