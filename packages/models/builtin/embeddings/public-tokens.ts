// The tokens that callers count and send: those of the public tokenizer cl100k_base, which has nothing to do with the
// pieces of words that the model itself reads.
import { countTokens as count, decode } from 'gpt-tokenizer/encoding/cl100k_base'

/** A longer run of one kind of character is counted in pieces, since the time to join it grows with its square. */
const maxRun = 1024
const longRuns = new RegExp(`[\\p{L}\\p{M}]{${maxRun}}|\\s{${maxRun}}|[^\\s\\p{L}\\p{N}]{${maxRun}}`, 'gu')
/** What looks like a mark of the tokenizer is text like any other. */
const asText = { disallowedSpecial: new Set<string>() }

/** Counted at once. */
const sliceLetters = 4_096
/** Where the tokenizer always cuts: no token goes on from here to there. */
const cuts = /(?<=\S)(?=[^\S\r\n])|(?<=[\r\n])(?=\S)|(?<=[\p{L}\p{N}])(?=[^\p{L}\p{N}\p{M}])/gu
/** A text without such places is cut all the same: it may count a token more. */
const longestSlice = 4 * sliceLetters

/** How many tokens a text has, in numbers to be added up: whoever counts may pause between them, or stop. */
export function* tokenCounts(text: string): Generator<number> {
  let from = 0
  for (const { index, 0: run } of text.matchAll(longRuns)) {
    yield* sliceCounts(text, from, index)
    yield countPart(run)
    from = index + run.length
  }
  yield* sliceCounts(text, from, text.length)
}

export function countTokens(text: string): number {
  let tokens = 0
  for (const more of tokenCounts(text)) tokens += more
  return tokens
}

function* sliceCounts(text: string, from: number, to: number): Generator<number> {
  let start = from
  while (to - start > sliceLetters) {
    cuts.lastIndex = start + sliceLetters
    const cut = Math.min(cuts.exec(text)?.index ?? to, start + longestSlice)
    if (cut >= to) break
    yield countPart(text.slice(start, cut))
    start = cut
  }
  yield countPart(text.slice(start, to))
}

const countPart = (text: string): number => (text === '' ? 0 : count(text, asText))

export const decodeTokens = (tokens: readonly number[]): string => decode(tokens)
