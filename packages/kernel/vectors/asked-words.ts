// The words of a question, as they are looked up.
import { termOf } from './bag.ts'
import type { AskedWords } from './index-protocol.ts'
import { tokensOf, wordsIn } from './words.ts'

/** Beyond this a text is no question; its first words must do. */
const maxTokens = 256
const maxTerms = 64
/** What the same form counts besides the same stem, and a whole name besides its parts. */
const formWeight = 0.05
const wholeWeight = 0.5

/** Common words are left out, unless there are no others. */
export function askedWords(question: string): Pick<AskedWords, 'terms' | 'weights'> {
  const words = tokensOf(question).slice(0, maxTokens).flatMap(wordsIn)
  const telling = words.filter(({ isCommon }) => !isCommon)
  const weights = new Map<string, number>()
  for (const { terms, length } of telling.length > 0 ? telling : words) {
    for (const [at, term] of terms.entries()) {
      if (!weights.has(term) && weights.size >= maxTerms) continue
      weights.set(term, at > 0 ? formWeight : length === 0 && telling.length > 0 ? wholeWeight : 1)
    }
  }
  return { terms: Uint32Array.from(weights.keys(), termOf), weights: Float32Array.from(weights.values()) }
}
