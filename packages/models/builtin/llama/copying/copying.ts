// Small models lose the end of a name, and give the number of one field to another. A value that has begun like
// something in the source goes on like it, as far as the model does not know better: what does so is made more likely.
import type { CopyTokens } from './copy-tokens.ts'
import { JsonPlace, type OpenValue } from './json-place.ts'
import { SourceNumbers } from './source-numbers.ts'
import { SourceWords } from './source-words.ts'

/** Added to logits. Measured: with more, values run on into what stands behind them. */
const strength = {
  inWord: 5,
  inNumber: 5,
  /** `Birch Lane` goes on with `18`. */
  numberOfName: 5.5,
  /** `Amis` goes on with `du Musee`. */
  restOfName: 4.5,
  /** A number that another field of the same object has. */
  spent: -4,
  /** One that none has yet. */
  unused: 2,
}

/** So many bytes of a value say which word it is: a code of its own may begin with the same letter. */
const leastOfWord = 3

export type Biases = ReadonlyMap<number, number>

const none: Biases = new Map()
const endsInName = /(?:^|\s)\p{Lu}[^\s]*$/u
const goesOnWithNumber = /^ \d/
const goesOnWithName = /^ (?:(?:af|av|da|de|del|den|der|des|di|dos|du|la|le|of|the|van|von|zu) ){0,2}\p{Lu}/u

interface CopyingNeeds {
  source: string
  tokens: CopyTokens
  /** Whether the form lets a text that begins now be anything. */
  isFree(): boolean
}

export class Copying {
  readonly #needs: CopyingNeeds
  readonly #words: SourceWords
  readonly #numbers: SourceNumbers
  readonly #place = new JsonPlace()
  #value: OpenValue | undefined
  #isFree = false

  constructor(needs: CopyingNeeds) {
    this.#needs = needs
    this.#words = new SourceWords(needs.source)
    this.#numbers = new SourceNumbers(needs.source)
  }

  /** What the next tokens' logits get, now that these bytes were written. */
  after(bytes: Buffer): Biases {
    this.#place.push(bytes.toString('latin1'))
    const { value } = this.#place
    if (value !== this.#value && value?.kind === 'text') this.#isFree = this.#needs.isFree()
    this.#value = value
    if (this.#place.expectsValue) return this.#beforeNumber()
    if (value?.kind === 'number') return this.#inNumber(value.written)
    return value !== undefined && value.written !== '' && this.#isFree ? this.#inText(value.written) : none
  }

  #inText(written: string): Biases {
    const onward = this.#words.onward(written)
    const isName = endsInName.test(asText(written))
    const isWhole = onward.some(({ isInWord }) => !isInWord)
    const biases = new Map<number, number>()
    const inWord = written.length < leastOfWord ? 0 : strength.inWord
    for (const { rest, isInWord } of onward) {
      // One word may be the beginning of another: whether it is meant to end is the model's to say.
      if (isInWord !== isWhole) this.#set(biases, rest, isInWord ? inWord : isName ? behindName(rest) : 0)
    }
    return biases
  }

  #beforeNumber(): Biases {
    const { spent = [], unused = [] } = Object.groupBy(this.#numbers.written, (number) =>
      this.#isSpent(number) ? 'spent' : 'unused',
    )
    const biases = new Map<number, number>()
    if (spent.length === 0 || unused.length === 0) return biases
    for (const [digit = ''] of spent) this.#set(biases, digit, strength.spent)
    for (const [digit = ''] of unused) this.#set(biases, digit, strength.unused)
    return biases
  }

  #inNumber(written: string): Biases {
    const digits = written.replace(/^-/, '')
    const unused = this.#numbers.written.filter((number) => number.startsWith(digits) && !this.#isSpent(number))
    const biases = new Map<number, number>()
    if (unused.includes(digits)) return biases
    for (const number of unused) this.#set(biases, number.slice(digits.length), strength.inNumber)
    return biases
  }

  /** As many fields of the object have it as the source does. */
  #isSpent(number: string): boolean {
    const value = Number(number)
    const times = this.#place.timesGiven(value)
    return times > 0 && times >= this.#numbers.timesOf(value)
  }

  #set(biases: Map<number, number>, rest: string, bias: number): void {
    if (bias !== 0) for (const token of this.#needs.tokens.beginning(rest)) biases.set(token, bias)
  }
}

function behindName(bytes: string): number {
  const rest = asText(bytes)
  if (goesOnWithNumber.test(rest)) return strength.numberOfName
  return goesOnWithName.test(rest) ? strength.restOfName : 0
}

const asText = (bytes: string): string => Buffer.from(bytes, 'latin1').toString()
