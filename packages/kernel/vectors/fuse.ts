// What was found by meaning and by words made into one list. Both measures are told in deviations from what is usual in
// the whole collection for this question, so that they can be added.
import type { FoundWords } from './index-protocol.ts'
import type { Spread } from './sample.ts'

export interface Candidate {
  id: number
  /** Of its vector and the question's. */
  cosine: number
  /** BM25. */
  words: number
  /** Whether it alone holds a word that was asked for. */
  isNamed: boolean
}

export interface Scored {
  id: number
  /** From 0 to 1, the same measure for every question and every collection; never grows from one to the next. */
  score: number
}

/** What is known of a collection for one question. */
export interface Usual {
  spread: Spread
  words: Pick<FoundWords, 'sum' | 'squares' | 'chunks' | 'full'>
  /** Of the meaning beside the words. */
  meaningWeight: number
  wordsWeight: number
  /** How many are wanted. */
  limit: number
}

/**
 * What is usual before a collection has told, and how many chunks it takes to outweigh that: with a handful of chunks
 * the nearest one would be near the usual merely because the usual is made of it. The figures are those of questions and
 * passages the embedding model was trained with; the words' are shares of what a chunk gets that holds every word once.
 */
const usualCosine = { mean: 0.07, deviation: 0.08, chunks: 50 }
const usualWords = { mean: 0.045, deviation: 0.09, chunks: 30 }
/** Other models have other means: a few chunks tell them. */
const meanChunks = 5

/**
 * Logistic: how probable it is that a chunk answers which is so many deviations nearer than usual and holds this share
 * of the words. Fitted, as the figures above, to the best chunks of stores of 3 to 1,500 for questions that one of them
 * answers and for questions that none does.
 */
const calibration = { base: -5.3, perDeviation: 0.87, perShare: 2.75 }
const calibrationByWords = { base: -4.4, perDeviation: 0, perShare: 5.77 }

/**
 * Where even the best chunk holds less than this share of what the words can tell, the question is asked in other words
 * than the texts are written in: its words count the less, the less of them is found.
 */
const usualShare = 0.6
const leastTrust = 1 / 6

/** Chunks that alone hold a word asked for stand within this part of those wanted; but they take no more than the other. */
const namedWithin = 0.8
const namedPart = 0.2

interface Measure {
  mean: number
  deviation: number
}

/** Best first. */
export function fuse(candidates: readonly Candidate[], usual: Usual): Scored[] {
  const meaning = meaningMeasure(usual.spread)
  const words = wordMeasure(usual.words)
  const trust = trustInWords(candidates, usual.words.full)
  const fit = usual.meaningWeight === 0 ? calibrationByWords : calibration
  const weighed = candidates.map(({ id, cosine, words: held }) => {
    const near = usual.meaningWeight === 0 ? 0 : (cosine - meaning.mean) / meaning.deviation
    const worded = words.deviation === 0 ? 0 : (held - words.mean) / words.deviation
    const share = usual.words.full === 0 ? 0 : Math.min(1, held / usual.words.full)
    return {
      id,
      fused: usual.wordsWeight * trust * worded + usual.meaningWeight * near,
      score: probability(fit, near, share),
    }
  })
  weighed.sort((a, b) => b.fused - a.fused || a.id - b.id)
  const asked = usual.wordsWeight === 0 ? [] : candidates.filter(({ isNamed }) => isNamed)
  const named = new Set(asked.map(({ id }) => id))
  return lifted(inOneOrder(weighed), named, usual.limit)
}

function trustInWords(candidates: readonly Candidate[], full: number): number {
  const most = candidates.reduce((most, { words }) => Math.max(most, words), 0)
  return full === 0 ? 1 : Math.max(leastTrust, Math.min(1, most / full / usualShare))
}

/** However near others are in meaning: who asks for a name wants to see what it names. */
function lifted(list: readonly Scored[], named: ReadonlySet<number>, limit: number): Scored[] {
  const behind = Math.floor(limit * namedWithin)
  const late = list.slice(behind).filter(({ id }) => named.has(id))
  const moved = late.slice(0, Math.floor(limit * namedPart))
  const place = behind - moved.length
  const next = list[place]
  if (moved.length === 0 || next === undefined) return [...list]
  const rest = list.filter((scored) => !moved.includes(scored))
  return rest.toSpliced(place, 0, ...moved.map(({ id }) => ({ id, score: next.score })))
}

const meaningMeasure = ({ mean, deviation, count }: Spread): Measure =>
  steadied({ mean, deviation }, count, usualCosine)

function wordMeasure({ sum, squares, chunks, full }: Usual['words']): Measure {
  if (full === 0 || chunks === 0) return { mean: 0, deviation: 0 }
  const mean = sum / chunks
  const deviation = Math.sqrt(Math.max(0, squares / chunks - mean * mean))
  const { mean: share, deviation: spread, chunks: usual } = usualWords
  return steadied({ mean, deviation }, chunks, { mean: share * full, deviation: spread * full, chunks: usual })
}

function steadied({ mean, deviation }: Measure, chunks: number, usual: Measure & { chunks: number }): Measure {
  const squares = chunks * deviation ** 2 + usual.chunks * usual.deviation ** 2
  return {
    mean: (chunks * mean + meanChunks * usual.mean) / (chunks + meanChunks),
    deviation: Math.sqrt(squares / (chunks + usual.chunks)),
  }
}

const probability = (fit: typeof calibration, deviations: number, share: number): number =>
  1 / (1 + Math.exp(-(fit.base + fit.perDeviation * deviations + fit.perShare * share)))

/** Neighbours whose scores contradict the order share their mean: so the scores never grow from one to the next. */
function inOneOrder(list: readonly Scored[]): Scored[] {
  const groups: { sum: number; count: number }[] = []
  for (const { score } of list) {
    let group = { sum: score, count: 1 }
    for (
      let before = groups.at(-1);
      before && before.sum / before.count < group.sum / group.count;
      before = groups.at(-1)
    ) {
      groups.pop()
      group = { sum: before.sum + group.sum, count: before.count + group.count }
    }
    groups.push(group)
  }
  const scores = groups.flatMap(({ sum, count }) => new Array<number>(count).fill(sum / count))
  return list.map(({ id }, at) => ({ id, score: scores[at] ?? 0 }))
}
