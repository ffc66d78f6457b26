// The part of a passage that a small model can still read: the sentences around what was asked for.

import { contentWords } from '../citing/words.ts'
import { roughTokens } from '../rough-tokens.ts'

/** Sentences next to one another, those that have most of the query among them, in about so many tokens. */
export function excerpt(sentences: readonly string[], query: string, maxTokens: number): string {
  const tokens = sentences.map(roughTokens)
  if (tokens.reduce((sum, count) => sum + count, 0) <= maxTokens) return sentences.join('').trim()
  const best = bestSentence(sentences, query)
  let [first, last, used] = [best, best, tokens[best] ?? 0]
  if (used > maxTokens) return cut(sentences[best] ?? '', maxTokens)
  for (;;) {
    // What follows tells more than what went before.
    const after = tokens[last + 1]
    const before = tokens[first - 1]
    if (after !== undefined && used + after <= maxTokens) {
      last++
      used += after
    } else if (before !== undefined && used + before <= maxTokens) {
      first--
      used += before
    } else {
      return sentences
        .slice(first, last + 1)
        .join('')
        .trim()
    }
  }
}

/** The place of the one that has most of the query. */
export function bestSentence(sentences: readonly string[], query: string): number {
  const asked = new Set(contentWords(query).map(({ key }) => key))
  const words = sentences.map((sentence) => new Set(contentWords(sentence).map(({ key }) => key)))
  // A word that many sentences have says little about where the answer is.
  const holding = new Map([...asked].map((key) => [key, words.filter((found) => found.has(key)).length]))
  let best = { index: 0, score: 0 }
  for (const [index, found] of words.entries()) {
    const shared = [...asked].filter((key) => found.has(key))
    const score = shared.reduce((sum, key) => sum + 1 / (holding.get(key) ?? 1), 0)
    if (score > best.score) best = { index, score }
  }
  return best.index
}

/** One sentence that is too long by itself, such as a line of numbers. */
function cut(sentence: string, maxTokens: number): string {
  const share = maxTokens / Math.max(1, roughTokens(sentence))
  return sentence.slice(0, Math.floor(sentence.length * share)).trim()
}
