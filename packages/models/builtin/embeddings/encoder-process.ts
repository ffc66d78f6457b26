// The embedding model's process: counts tokens, turns them into texts, and texts into vectors.
import { setFlagsFromString } from 'node:v8'
import { answerQuestions } from '../../process/answer-questions.ts'
import { WorkTurns } from '../../process/work-turns.ts'
import { loadAxes } from './axes.ts'
import { type EmbedAnswered, type EmbedQuestion, maxInputTokens } from './protocol.ts'
import { countTokens, decodeTokens, tokenCounts } from './public-tokens.ts'
import { SentenceEncoder } from './sentence-encoder.ts'
import { loadSentenceModel } from './sentence-model.ts'

/** Marking in small steps between batches costs a tenth of the speed; in one go it takes 8 ms now and then. */
setFlagsFromString('--no-incremental-marking')

const turns = new WorkTurns()
const encoder = loadAxes()
  .then(loadSentenceModel)
  .then((model) => new SentenceEncoder(model, turns))

/** Letters that take about as long to count as a window takes to encode: what is left is measured in windows. */
const lettersPerSlice = 4_096

async function countAll(texts: readonly string[], signal: AbortSignal, isBackground: boolean): Promise<number[]> {
  const work = turns.next(isBackground)
  const counts: number[] = []
  let left = texts.reduce((sum, { length }) => sum + length, 0) / lettersPerSlice
  for (const text of texts) {
    const parts = tokenCounts(text)
    let tokens = 0
    // Of a text that is far too long the exact number does not matter.
    while (tokens <= 2 * maxInputTokens) {
      const part = await turns.slice(work, left, () => {
        signal.throwIfAborted()
        return parts.next()
      })
      if (part.done === true) break
      tokens += part.value
    }
    left -= text.length / lettersPerSlice
    counts.push(tokens)
  }
  return counts
}

answerQuestions<EmbedQuestion, EmbedAnswered>(
  async (question, signal) => {
    const { isBackground = false } = question
    switch (question.ask) {
      case 'count':
        return { counts: await countAll(question.texts, signal, isBackground) }
      case 'decode':
        return { texts: question.tokens.map(decodeTokens) }
      case 'short':
        return {
          // Counted in less time than a turn takes to come.
          counts: question.texts.map(countTokens),
          sums: await (await encoder).encode(question.texts, signal, isBackground),
        }
      case 'encode':
        return { sums: await (await encoder).encode(question.texts, signal, isBackground) }
    }
  },
  { allAtOnce: true },
)
