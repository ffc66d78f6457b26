// Scores for samples by models that were not trained on them, and the thresholds these scores suggest.
import {
  type HeadScores,
  type HeadWeights,
  logit,
  type TextHead,
  textHeads,
} from '@atoll/models/builtin/moderation/text-heads'
import { examplesOf, type SeenSample } from './corpus.ts'
import type { Direction } from './directions.ts'
import { trainHead } from './logistic.ts'
import { bestThreshold, quietThreshold, type Scored } from './measure.ts'

const foldCount = 5
/** At most this share of harmless sentences may reach a head's threshold. */
const maxFalseAlarms = 0.01

/** A sample that was judged, with the logits of its pieces. */
export interface Judged {
  sample: SeenSample
  pieces: Record<TextHead, number>[]
}

/** Samples of the other sources only ever help to train. */
const measuredSources = ['moderation', 'own']
const isMeasured = ({ source }: SeenSample): boolean => measuredSources.includes(source)

export function crossValidate(samples: readonly SeenSample[], directions: readonly Direction[]): Judged[] {
  const measured = samples.filter(isMeasured)
  const others = samples.filter((sample) => !isMeasured(sample))
  return Array.from({ length: foldCount }, (_, fold) => {
    const heads = trainHeads([...others, ...measured.filter((_, at) => at % foldCount !== fold)], directions)
    return measured.filter((_, at) => at % foldCount === fold).map((sample) => judge(sample, heads))
  }).flat()
}

export const trainHeads = (
  samples: readonly SeenSample[],
  directions: readonly Direction[],
): Record<TextHead, HeadWeights> => forHeads((head) => trainHead(examplesOf(samples, head), directions))

const judge = (sample: SeenSample, heads: Record<TextHead, HeadWeights>): Judged => ({
  sample,
  pieces: sample.pieces.map((piece) => forHeads((head) => logit(heads[head], piece))),
})

/** By the best F1, but never so low that harmless sentences raise alarms. */
export function chooseThresholds(judged: readonly Judged[]): Record<TextHead, number> {
  return forHeads((head) => {
    const highest = ({ pieces }: Judged): number => Math.max(...pieces.map((piece) => sigmoid(piece[head])))
    const sets = measuredSources.map((source) =>
      judged.flatMap((one): Scored[] => {
        const label = one.sample.labels[head]
        return one.sample.source !== source || label === undefined ? [] : [{ score: highest(one), label }]
      }),
    )
    const harmless = judged.filter(({ sample }) => isHarmless(sample)).map(highest)
    return Math.max(bestThreshold(sets), head === 'under-age' ? 0 : quietThreshold(harmless, maxFalseAlarms))
  })
}

const isHarmless = ({ source, labels }: SeenSample): boolean =>
  source === 'own' && Object.values(labels).every((label) => label === 0)

/** As the finished model will score: what reached the threshold reaches 0.5. */
export const headScores = ({ pieces }: Judged, thresholds: Record<TextHead, number>): HeadScores[] =>
  pieces.map((piece) => forHeads((head) => sigmoid(piece[head] - Math.log(thresholds[head] / (1 - thresholds[head])))))

const sigmoid = (value: number): number => 1 / (1 + Math.exp(-value))

export const forHeads = <T>(make: (head: TextHead) => T): Record<TextHead, T> =>
  Object.fromEntries(textHeads.map((head) => [head, make(head)])) as Record<TextHead, T>
