// Two lists of candidates, one by meaning and one by words, made into one.

export interface Candidate {
  id: number
  /** Of its vector and the question's. */
  cosine: number
  /** How much of what the question's words could tell it holds, from 0 to 1. */
  agreement: number
}

export interface Scored {
  id: number
  /** From 0 to 1, and the same measure for every question, so that thresholds mean something. */
  score: number
}

/** How far words alone can lift a chunk. */
const agreementShare = 0.4
/** The usual constant of reciprocal rank fusion: how little the first places differ from the next. */
const rankOffset = 60

export const scoreOf = ({ cosine, agreement }: Candidate): number => {
  const meaning = Math.min(1, Math.max(0, cosine))
  return meaning + (1 - meaning) * agreementShare * Math.min(1, agreement)
}

/**
 * The places in both lists decide who is among the `limit`, so that what only the words find has its share. The scores
 * decide the order.
 */
export function fuse(candidates: readonly Candidate[], limit: number, minScore: number): Scored[] {
  const scored = candidates
    .map((candidate) => ({ ...candidate, score: scoreOf(candidate) }))
    .filter(({ score }) => score >= minScore)
  const byMeaning = scored.toSorted((a, b) => b.cosine - a.cosine || a.id - b.id)
  const byWords = scored
    .filter(({ agreement }) => agreement > 0)
    .sort((a, b) => b.agreement - a.agreement || b.cosine - a.cosine || a.id - b.id)
  const fused = new Map<number, number>()
  for (const list of [byMeaning, byWords]) {
    for (const [place, { id }] of list.entries()) fused.set(id, (fused.get(id) ?? 0) + 1 / (rankOffset + place + 1))
  }
  return scored
    .sort((a, b) => (fused.get(b.id) ?? 0) - (fused.get(a.id) ?? 0) || b.score - a.score || a.id - b.id)
    .slice(0, limit)
    .sort((a, b) => b.score - a.score || a.id - b.id)
    .map(({ id, score }) => ({ id, score }))
}
