// Finds the passage that a sentence of an answer comes from, by the words they share.
import type { Passage } from '../hosted-tool.ts'
import { sentencesOf } from './sentences.ts'
import { contentWords, type Word } from './words.ts'

/** What an answer says in one sentence, a passage may say in so many. */
const windowSentences = 3
/** Of the weight of a sentence's words, what the passage must have. */
const leastShare = 0.6
/** One word of little weight proves nothing. */
const leastWeight = 1.8
const bestPlaces = 3
const numberWeight = 3
const nameWeight = 2
/** What a third of all sentences have tells little about where one comes from. */
const commonShare = 0.3
const fewSentences = 8

const maxRefusalLetters = 400
// The answer speaks of what it has not found.
const refusal =
  /\b(?:not|n['’]t|cannot|unable to|no)\b[^.!?]*\b(?:find|found|know|say|said|mention\w*|specif\w+|stated?|contain\w*|provided?|include\w*|information|answer)\b/i

export class PassageMatcher {
  readonly #passages: readonly Passage[]
  #index: Map<string, number[]> | undefined
  /** By number, the passage that a sentence stands in. */
  readonly #sentences: Passage[] = []
  readonly #names = new Set<string>()

  constructor(passages: readonly Passage[]) {
    this.#passages = passages
  }

  /** The passage with the most of the sentence, if it is enough; of equals the one that was found first. */
  best(sentence: string): Passage | undefined {
    if (
      this.#passages.length === 0 ||
      sentence.trimEnd().endsWith('?') ||
      refusal.test(sentence.slice(0, maxRefusalLetters))
    )
      return undefined
    const words = new Map(contentWords(sentence).map((word) => [word.key, word]))
    if (words.size === 0) return undefined
    this.#index ??= this.#build()
    const weights = new Map([...words].map(([key, word]) => [key, this.#weight(word)]))
    const total = [...weights.values()].reduce((sum, weight) => sum + weight, 0)
    const { shared, passage } = this.#bestWindow(weights)
    const matched = [...shared].reduce((sum, key) => sum + (weights.get(key) ?? 0), 0)
    if (matched < leastWeight || matched < leastShare * total || lacksNumbers(words, shared)) return undefined
    // One word is found in many places by chance: it counts in what a search found first.
    return words.size === 1 && passage !== undefined && passage.place >= bestPlaces ? undefined : passage
  }

  #build(): Map<string, number[]> {
    const index = new Map<string, number[]>()
    for (const passage of this.#passages) {
      for (const text of sentencesOf(passage.text)) {
        const number = this.#sentences.push(passage) - 1
        for (const { key, isName } of contentWords(text)) {
          if (isName) this.#names.add(key)
          const numbers = index.get(key)
          if (numbers === undefined) index.set(key, [number])
          else if (numbers.at(-1) !== number) numbers.push(number)
        }
      }
    }
    return index
  }

  #weight({ key, isNumber, isName }: Word): number {
    const sentences = this.#sentences.length
    const holding = this.#index?.get(key)?.length ?? 0
    const isCommon = sentences >= fewSentences && holding > commonShare * sentences
    if (isNumber) return numberWeight
    if (isName || this.#names.has(key)) return isCommon ? nameWeight / 2 : nameWeight
    const byLength = key.length <= 2 ? 0.5 : 0.4 + Math.min(key.length, 10) / 8
    return isCommon ? byLength / 2 : byLength
  }

  #bestWindow(weights: ReadonlyMap<string, number>): { shared: Set<string>; passage: Passage | undefined } {
    // By sentence, what it shares; a window begins at each that shares anything.
    const shares = new Map<number, Set<string>>()
    for (const key of weights.keys()) {
      for (const number of this.#index?.get(key) ?? []) {
        const keys = shares.get(number)
        if (keys === undefined) shares.set(number, new Set([key]))
        else keys.add(key)
      }
    }
    let best = { shared: new Set<string>(), passage: undefined as Passage | undefined, weight: 0 }
    for (const number of [...shares.keys()].sort((a, b) => a - b)) {
      const shared = this.#windowFrom(number, shares)
      const weight = [...shared].reduce((sum, key) => sum + (weights.get(key) ?? 0), 0)
      if (weight > best.weight) best = { shared, passage: this.#sentences[number], weight }
    }
    return best
  }

  #windowFrom(first: number, shares: ReadonlyMap<number, Set<string>>): Set<string> {
    const shared = new Set<string>()
    const passage = this.#sentences[first]
    for (let number = first; number < first + windowSentences; number++) {
      if (this.#sentences[number] !== passage) break
      for (const key of shares.get(number) ?? []) shared.add(key)
    }
    return shared
  }
}

/** A sentence with other numbers than the passage says something else. */
function lacksNumbers(words: ReadonlyMap<string, Word>, shared: ReadonlySet<string>): boolean {
  const numbers = [...words.values()].filter(({ isNumber }) => isNumber)
  return numbers.filter(({ key }) => shared.has(key)).length * 2 < numbers.length
}
