// Finds the passage that a sentence of an answer comes from, by the words they share.
import type { Passage } from '../hosted-tool.ts'
import { holds } from './claim.ts'
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
// `2. ` or `3) ` before an item of a list is no number that it tells.
const listMark = /^\s*(?:[-*•]\s+)?\d{1,2}[.)]\s+/

interface Sentence {
  passage: Passage
  words: Word[]
}

interface Window {
  sentences: Sentence[]
  weight: number
}

export class PassageMatcher {
  readonly #passages: readonly Passage[]
  #index: Map<string, number[]> | undefined
  readonly #sentences: Sentence[] = []
  /** Words of its heading and its file's name: what every sentence of a passage is about. */
  readonly #subjects = new Map<Passage, Set<string>>()
  readonly #names = new Set<string>()

  constructor(passages: readonly Passage[]) {
    this.#passages = passages
  }

  /** The passage with the most of the sentence, if it is enough and says the same; of equals the one found first. */
  best(sentence: string): Passage | undefined {
    if (
      this.#passages.length === 0 ||
      sentence.trimEnd().endsWith('?') ||
      refusal.test(sentence.slice(0, maxRefusalLetters))
    )
      return undefined
    const said = contentWords(sentence.replace(listMark, ''))
    const words = new Map(said.map((word) => [word.key, word]))
    if (words.size === 0) return undefined
    this.#index ??= this.#build()
    const weights = new Map([...words].map(([key, word]) => [key, this.#weight(word)]))
    const total = [...weights.values()].reduce((sum, weight) => sum + weight, 0)
    const enough = Math.max(leastWeight, leastShare * total)
    for (const { sentences, weight } of this.#windows(weights)) {
      const [first] = sentences
      if (weight < enough || first === undefined) return undefined
      const { passage } = first
      // One word is found in many places by chance: it counts in what a search found first.
      if (words.size === 1 && passage.place >= bestPlaces) continue
      const subjects = this.#subjects.get(passage) ?? new Set()
      if (
        holds(
          sentences.map((one) => one.words),
          said,
          subjects,
        )
      )
        return passage
    }
    return undefined
  }

  #build(): Map<string, number[]> {
    const index = new Map<string, number[]>()
    for (const passage of this.#passages) {
      const about = contentWords(`${passage.heading ?? ''}\n${passage.fileName.replace(/[-_.]+/g, ' ')}`)
      this.#subjects.set(passage, new Set(about.map(({ key }) => key)))
      for (const text of sentencesOf(passage.text)) {
        const words = contentWords(text.replace(listMark, ''))
        const number = this.#sentences.push({ passage, words }) - 1
        for (const { key, isName } of words) {
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

  /** Heaviest first. A window begins at each sentence that shares anything. */
  #windows(weights: ReadonlyMap<string, number>): Window[] {
    const shares = new Map<number, string[]>()
    for (const key of weights.keys()) {
      for (const number of this.#index?.get(key) ?? []) {
        const keys = shares.get(number)
        if (keys === undefined) shares.set(number, [key])
        else keys.push(key)
      }
    }
    return [...shares.keys()]
      .sort((a, b) => a - b)
      .map((number) => this.#windowFrom(number, shares, weights))
      .sort((one, other) => other.weight - one.weight)
  }

  #windowFrom(first: number, shares: ReadonlyMap<number, string[]>, weights: ReadonlyMap<string, number>): Window {
    const passage = this.#sentences[first]?.passage
    const sentences: Sentence[] = []
    const shared = new Set<string>()
    for (const sentence of this.#sentences.slice(first, first + windowSentences)) {
      if (sentence.passage !== passage) break
      for (const key of shares.get(first + sentences.length) ?? []) shared.add(key)
      sentences.push(sentence)
    }
    const subjects = passage === undefined ? undefined : this.#subjects.get(passage)
    for (const key of weights.keys()) if (subjects?.has(key)) shared.add(key)
    return { sentences, weight: [...shared].reduce((sum, key) => sum + (weights.get(key) ?? 0), 0) }
  }
}
