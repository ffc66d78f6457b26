// Trains the text moderation model, says how good it is, and writes its weights:
//   node training/moderation/train.ts MODERATION.jsonl [--hatecheck CSV] [--toxicity CSV] [--requests JSONL]
//     [--hate CSV] [--sexism CSV]
import { writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { loadSentenceEncoder } from '@atoll/models/builtin/moderation/sentence-encoder'
import { encodeHeads, scoreHead, type TextHead } from '@atoll/models/builtin/moderation/text-heads'
import { textScores } from '@atoll/models/builtin/moderation/text-scores'
import { moderationCategories } from '@atoll/models/moderate'
import { see } from './corpus.ts'
import { chooseThresholds, crossValidate, forHeads, headScores, type Judged, trainHeads } from './cross-validation.ts'
import { findDirections } from './directions.ts'
import { postsWithHate, postsWithSexism } from './foreign-texts.ts'
import { shiftToHalf } from './logistic.ts'
import { areaUnderCurve, atThreshold, averagePrecision, type Scored } from './measure.ts'
import {
  hateCheckSamples,
  moderationSamples,
  ownLines,
  ownSamples,
  requestSamples,
  toxicitySamples,
} from './samples.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    hatecheck: { type: 'string' },
    toxicity: { type: 'string' },
    requests: { type: 'string' },
    hate: { type: 'string' },
    sexism: { type: 'string' },
  },
})
const [moderationFile] = positionals
if (moderationFile === undefined) throw new Error('name the file of labelled samples: train.ts MODERATION.jsonl')

const encoder = await loadSentenceEncoder()
const samples = await see(
  [
    ...moderationSamples(moderationFile),
    ...ownSamples(),
    ...(values.hatecheck ? hateCheckSamples(values.hatecheck) : []),
    ...(values.toxicity ? toxicitySamples(values.toxicity) : []),
    ...(values.requests ? requestSamples(values.requests) : []),
  ],
  encoder,
)
const foreign = [
  ...(values.hate ? postsWithHate(values.hate) : []),
  ...(values.sexism ? postsWithSexism(values.sexism) : []),
]
const usual = samples.flatMap(({ windows }) => windows.map(({ vector }) => vector))
const directions = await findDirections(foreign, usual, encoder)
console.log(`${samples.length} samples, ${directions.length} directions from ${foreign.length} texts`)

const judged = crossValidate(samples, directions)
const thresholds = chooseThresholds(judged)
printQuality(judged, thresholds)

const trained = trainHeads(samples, directions)
const heads = forHeads((head) => shiftToHalf(trained[head], thresholds[head]))
writeFileSync(new URL('../../weights/moderation/text.bin', import.meta.url), encodeHeads(heads))
await printFalseAlarms()

function printQuality(judged: Judged[], thresholds: Record<TextHead, number>): void {
  const scored = judged.map((one) => ({ ...one.sample, scores: textScores(headScores(one, thresholds)) }))
  for (const category of moderationCategories) {
    if (category === 'sexual/minors') continue // has no samples
    const columns = ['moderation', 'own'].map((source) => {
      const known = scored.flatMap((sample): Scored[] => {
        const label = sample.labels[category]
        return sample.source !== source || label === undefined ? [] : [{ score: sample.scores[category], label }]
      })
      const positives = known.filter(({ label }) => label === 1).length
      const { precision, recall } = atThreshold(known, 0.5)
      const figures = positives === 0 ? [] : [averagePrecision(known), areaUnderCurve(known), precision, recall]
      const quality = figures.map((value) => value.toFixed(3)).join(' ')
      return `${source} ${String(positives).padStart(3)}/${String(known.length).padEnd(4)} ${quality.padEnd(23)}`
    })
    console.log(`${category.padEnd(24)} ${columns.join('  ')}`)
  }
}

async function printFalseAlarms(): Promise<void> {
  const sentences = await see(
    ownLines('held-out-harmless').map((text) => ({ text })),
    encoder,
  )
  const alarms = sentences.filter(({ pieces }) => {
    const scores = textScores(pieces.map((piece) => forHeads((head) => scoreHead(heads[head], piece))))
    return Object.values(scores).some((score) => score >= 0.5)
  })
  console.log(`flagged of ${sentences.length} harmless sentences it never saw: ${alarms.length}`)
  for (const { text } of alarms) console.log(`  ${text}`)
}
