// The moderation model's process: texts and images in, scores out. Each of the two models is loaded when first needed.
import { readFile } from 'node:fs/promises'
import { answerQuestions } from '../../process/answer-questions.ts'
import { WorkTurns } from '../../process/work-turns.ts'
import { loadImageModel } from './image-model.ts'
import type { ModerationAnswered, ModerationQuestion } from './protocol.ts'
import { loadSentenceEncoder } from './sentence-encoder.ts'
import { termFeatures } from './text-features.ts'
import { decodeHeads, type HeadScores, scoreHead, textHeads } from './text-heads.ts'

const weightsFile = new URL('../../../../weights/moderation/text.bin', import.meta.url)

const once = <T>(load: () => Promise<T>): (() => Promise<T>) => {
  let loading: Promise<T> | undefined
  return () => {
    loading ??= load()
    return loading
  }
}

const turns = new WorkTurns()
const textModel = once(async () => {
  const [encoder, file] = await Promise.all([loadSentenceEncoder(turns), readFile(weightsFile)])
  return { encoder, heads: decodeHeads(file) }
})
const imageModel = once(() => loadImageModel())

async function scoreTexts(texts: readonly string[], signal: AbortSignal): Promise<HeadScores[]> {
  const { encoder, heads } = await textModel()
  const vectors = await encoder.encode(texts, signal)
  return texts.map((text, at) => {
    const features = { vector: vectors[at] as Float32Array, terms: termFeatures(text) }
    return Object.fromEntries(textHeads.map((head) => [head, scoreHead(heads[head], features)])) as HeadScores
  })
}

let images: Promise<unknown> = Promise.resolve()

/** One after the other: each may take a lot of memory while it is decoded. */
function scoreImage(image: Uint8Array, signal: AbortSignal): Promise<number> {
  const score = images.then(async () => (await imageModel()).score(image, signal))
  images = score.catch(() => undefined)
  return score
}

answerQuestions<ModerationQuestion, ModerationAnswered>(
  async (question, signal) => {
    if (question.ask === 'texts') return { texts: await scoreTexts(question.texts, signal) }
    return { image: await scoreImage(question.image, signal) }
  },
  { allAtOnce: true },
)
