// One row of training: examples one after the other, each of which sees itself alone.
export interface Segment {
  start: number
  end: number
}

export interface Row {
  tokens: Int32Array
  /** How much it counts whether the token at this place is foreseen; 0 for what the model is not to learn. */
  weights: Float32Array
  segments: Segment[]
}

export interface RowResult {
  /** Sums over the tokens that count. */
  loss: number
  weight: number
  correct: number
  counted: number
}

export function sumOf(results: readonly RowResult[]): RowResult {
  const sum: RowResult = { loss: 0, weight: 0, correct: 0, counted: 0 }
  for (const result of results)
    for (const key of ['loss', 'weight', 'correct', 'counted'] as const) sum[key] += result[key]
  return sum
}
