// The embedding model's process: counts tokens, turns them into texts, and texts into vectors.
import { setFlagsFromString } from 'node:v8'
import { answerQuestions } from '../../process/answer-questions.ts'
import { loadAxes } from './axes.ts'
import type { EmbedAnswered, EmbedQuestion } from './protocol.ts'
import { countTokens, decodeTokens } from './public-tokens.ts'
import { SentenceEncoder } from './sentence-encoder.ts'
import { loadSentenceModel } from './sentence-model.ts'

/** Marking in small steps between batches costs a tenth of the speed; in one go it takes 8 ms now and then. */
setFlagsFromString('--no-incremental-marking')

const encoder = loadAxes()
  .then(loadSentenceModel)
  .then((model) => new SentenceEncoder(model))

answerQuestions<EmbedQuestion, EmbedAnswered>(async (question, signal) => {
  switch (question.ask) {
    case 'count':
      return { counts: question.texts.map(countTokens) }
    case 'decode':
      return { texts: question.tokens.map(decodeTokens) }
    case 'short':
      return {
        counts: question.texts.map(countTokens),
        sums: await (await encoder).encode(question.texts, signal),
      }
    case 'encode':
      return { sums: await (await encoder).encode(question.texts, signal) }
  }
})
