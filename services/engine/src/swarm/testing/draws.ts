// Draws from a seed: the same seed makes the same choices.
export interface Draws {
  seed: number
  /** Whole, below `count`. */
  below(count: number): number
  one<T>(of: readonly T[]): T
}

export function drawsFrom(seed: number): Draws {
  let state = seed >>> 0
  // xorshift32; never stays at 0.
  const next = (): number => {
    state = state || 0x9e3779b9
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    state >>>= 0
    return state
  }
  const below = (count: number): number => next() % count
  return {
    seed,
    below,
    one: (of) => {
      const index = below(of.length)
      return of[index] as (typeof of)[number]
    },
  }
}
