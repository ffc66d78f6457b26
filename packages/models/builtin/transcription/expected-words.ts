// Words of the caller's prompt that the speaker likely uses: names, and whatever else is easily spelt otherwise. While a
// text goes along with one of them, its next token is made likelier.
import { tokensOfWord } from './vocabulary.ts'

/** Enough to decide between spellings that sound alike; not to make the model write what nobody said. */
const firstBonus = 1
const nextBonus = 3
const maxWords = 200

type Branch = Map<number, Branch>

export class ExpectedWords {
  readonly #root: Branch = new Map()
  readonly #longest: number

  constructor(text: string) {
    const words = new Set(text.match(/[\p{L}\p{N}][\p{L}\p{N}'\u2019.-]*[\p{L}\p{N}]/gu) ?? [])
    let longest = 0
    for (const word of [...words].filter(isTelling).slice(0, maxWords)) {
      const tokens = tokensOfWord(word)
      longest = Math.max(longest, tokens.length)
      let branch = this.#root
      for (const token of tokens) {
        const next = branch.get(token) ?? new Map()
        branch.set(token, next)
        branch = next
      }
    }
    this.#longest = longest
  }

  /** What is added to the logits of the tokens that may come next. */
  after(tokens: readonly number[]): Map<number, number> {
    const bonus = new Map<number, number>()
    if (this.#longest === 0) return bonus
    for (const token of this.#root.keys()) bonus.set(token, firstBonus)
    for (let length = 1; length < this.#longest && length <= tokens.length; length++) {
      const branch = this.#follow(tokens.slice(-length))
      if (branch !== undefined) for (const token of branch.keys()) bonus.set(token, nextBonus)
    }
    return bonus
  }

  #follow(tokens: readonly number[]): Branch | undefined {
    let branch: Branch | undefined = this.#root
    for (const token of tokens) branch = branch?.get(token)
    return branch
  }
}

/** Common words are heard rightly anyway: those with a capital, a digit or many letters are told. */
const isTelling = (word: string): boolean => word.length >= 7 || /\p{Lu}|\p{N}/u.test(word)
