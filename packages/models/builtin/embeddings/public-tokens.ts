// The tokens that callers count and send: those of the public tokenizer cl100k_base, which has nothing to do with the
// pieces of words that the model itself reads. Counted here and not by the tokenizer's package, which takes 40 MB in
// every thread that loads it.
import { BytePairs, type TokenTable } from './byte-pairs.ts'

/** As the tokenizer parts a text before it looks for tokens. */
const parts =
  /'(?:[sS]|[dD]|[mM]|[tT]|[lL][lL]|[vV][eE]|[rR][eE])|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s+$|\s*[\r\n]|\s+(?!\S)|\s/gu

/** Counted at once. */
const sliceLetters = 2_048
/** Where the tokenizer always cuts: no token goes on from here to there. */
const cuts = /(?<=\S)(?=[^\S\r\n])|(?<=[\r\n])(?=\S)|(?<=[\p{L}\p{N}])(?=[^\p{L}\p{N}\p{M}])/gu
/** A text without such places is cut all the same: it may count a token more. */
const longestSlice = 2 * sliceLetters

/** Marks that a model may be sent as tokens; their texts have no tokens of their own. */
const marks = new Map([
  [100_257, '<|endoftext|>'],
  [100_258, '<|fim_prefix|>'],
  [100_259, '<|fim_middle|>'],
  [100_260, '<|fim_suffix|>'],
  [100_276, '<|endofprompt|>'],
])

export class PublicTokens {
  readonly #pairs: BytePairs

  constructor(table: TokenTable) {
    this.#pairs = new BytePairs(table)
  }

  /** How many tokens a text has, in numbers to be added up: whoever counts may pause between them, or stop. */
  *counts(text: string): Generator<number> {
    for (let from = 0; from < text.length; ) {
      const to = endOfSlice(text, from)
      yield this.#countPart(text.slice(from, to))
      from = to
    }
  }

  count(text: string): number {
    let tokens = 0
    for (const more of this.counts(text)) tokens += more
    return tokens
  }

  decode(tokens: readonly number[]): string {
    const bytes = tokens.map((token) => {
      const mark = marks.get(token)
      return mark === undefined ? this.#pairs.bytesOf(token) : Buffer.from(mark)
    })
    return Buffer.concat(bytes).toString()
  }

  #countPart(text: string): number {
    let tokens = 0
    let from = 0
    parts.lastIndex = 0
    while (parts.test(text)) {
      tokens += this.#pairs.count(text, from, parts.lastIndex)
      from = parts.lastIndex
    }
    return tokens
  }
}

function endOfSlice(text: string, from: number): number {
  if (text.length - from <= sliceLetters) return text.length
  // No further than a slice may go: a text without places to cut would be searched to its end for each slice.
  const window = text.slice(from, from + longestSlice + 1)
  cuts.lastIndex = sliceLetters
  const cut = cuts.exec(window)?.index
  if (cut !== undefined && cut < window.length) return from + cut
  if (text.length - from <= longestSlice) return text.length
  return from + (isSecondHalf(text, from + longestSlice) ? longestSlice - 1 : longestSlice)
}

/** Of a letter of two halves. */
export const isSecondHalf = (text: string, at: number): boolean => /[\udc00-\udfff]/.test(text.charAt(at))
