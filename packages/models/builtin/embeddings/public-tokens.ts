// The tokens that callers count and send: those of the public tokenizer cl100k_base, which has nothing to do with the
// pieces of words that the model itself reads.
import { countTokens as count, decode } from 'gpt-tokenizer/encoding/cl100k_base'

/** A longer run of one kind of character is counted in pieces, since the time to join it grows with its square. */
const maxRun = 1024
const longRuns = new RegExp(`[\\p{L}\\p{M}]{${maxRun}}|\\s{${maxRun}}|[^\\s\\p{L}\\p{N}]{${maxRun}}`, 'gu')
/** What looks like a mark of the tokenizer is text like any other. */
const asText = { disallowedSpecial: new Set<string>() }

export function countTokens(text: string): number {
  let tokens = 0
  let from = 0
  for (const { index, 0: run } of text.matchAll(longRuns)) {
    tokens += countPart(text.slice(from, index)) + countPart(run)
    from = index + run.length
  }
  return tokens + countPart(text.slice(from))
}

const countPart = (text: string): number => (text === '' ? 0 : count(text, asText))

export const decodeTokens = (tokens: readonly number[]): string => decode(tokens)
