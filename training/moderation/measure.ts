// How well scores tell positives from negatives.
export interface Scored {
  score: number
  label: 0 | 1
}

/** The chance that a positive scores above a negative. */
export function areaUnderCurve(scored: readonly Scored[]): number {
  const sorted = [...scored].sort((a, b) => a.score - b.score)
  let rankSum = 0
  let positives = 0
  for (let from = 0; from < sorted.length; ) {
    let to = from
    while (to < sorted.length && sorted[to]?.score === sorted[from]?.score) to++
    for (let at = from; at < to; at++) {
      if (sorted[at]?.label !== 1) continue
      rankSum += (from + to + 1) / 2
      positives++
    }
    from = to
  }
  return (rankSum - (positives * (positives + 1)) / 2) / (positives * (sorted.length - positives))
}

/** The area under the curve of precision over recall; equal scores are one step of it. */
export function averagePrecision(scored: readonly Scored[]): number {
  const sorted = [...scored].sort((a, b) => b.score - a.score)
  const positives = scored.filter(({ label }) => label === 1).length
  let right = 0
  let sum = 0
  for (let from = 0; from < sorted.length; ) {
    let to = from
    let found = 0
    for (; to < sorted.length && sorted[to]?.score === sorted[from]?.score; to++) found += sorted[to]?.label ?? 0
    right += found
    sum += (found / positives) * (right / to)
    from = to
  }
  return sum
}

interface AtThreshold {
  precision: number
  recall: number
}

export function atThreshold(scored: readonly Scored[], threshold: number): AtThreshold {
  const flagged = scored.filter(({ score }) => score >= threshold)
  const right = flagged.filter(({ label }) => label === 1).length
  const positives = scored.filter(({ label }) => label === 1).length
  return { precision: right / Math.max(1, flagged.length), recall: right / Math.max(1, positives) }
}

/** The threshold with the best F1, on average over sets that have positives. */
export function bestThreshold(sets: readonly (readonly Scored[])[]): number {
  const useful = sets.filter((scored) => scored.some(({ label }) => label === 1))
  const quality = (threshold: number): number =>
    useful.reduce((sum, scored) => sum + f1(atThreshold(scored, threshold)), 0)
  const steps = Array.from({ length: 181 }, (_, at) => 0.05 + at * 0.005)
  return steps.reduce((best, next) => (quality(next) > quality(best) ? next : best))
}

const f1 = ({ precision, recall }: AtThreshold): number => (2 * precision * recall) / Math.max(1e-9, precision + recall)

/** The lowest threshold that at most `share` of these scores reach. */
export function quietThreshold(scores: readonly number[], share: number): number {
  const sorted = [...scores].sort((a, b) => b - a)
  return (sorted[Math.floor(share * sorted.length)] ?? 0) + 1e-6
}
