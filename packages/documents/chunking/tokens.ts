// Tokens of words: how many, and where a long word may be cut.
import { Buffer } from 'node:buffer'
import { byteString, tokenLengths } from './vocabulary.ts'
import { isSpaceAt, maxRun, wordEnd } from './words.ts'

/** A word of more tokens may be cut inside. */
const maxWordTokens = 16
/** A stretch of a word of more tokens must be cut inside. */
const maxStretchTokens = 32
const maxRememberedLength = 40
/** V8 copies shorter slices; a longer one keeps the whole text it was cut from in memory. */
const maxCopiedSlice = 12
const maxRemembered = 100_000
const remembered = new Map<string, number>()
/** Of a long run of one character the pieces are the same again and again. */
const longWords = new Map<string, number[]>()
const maxLongWords = 8

/** A stretch of text that chunks do not cut, `length` in UTF-16 units. */
export interface Unit {
  length: number
  tokens: number
  /** A chunk that begins here may have other tokens than the sum of its units: it is counted again. */
  rough: boolean
}

/** Adds the units of one word; tells whether the word goes on after it (it was cut at its greatest length). */
export function addUnits(word: string, rough: boolean, units: Unit[]): boolean {
  if (word.length <= maxRememberedLength) {
    const tokens = rememberedCount(word)
    if (tokens <= maxWordTokens) {
      units.push({ length: word.length, tokens, rough })
      return false
    }
  }
  const lengths = longWordLengths(word)
  if (lengths.length <= maxWordTokens) units.push({ length: word.length, tokens: lengths.length, rough })
  else cutWord(word, lengths, rough, units)
  return word.length >= maxRun
}

function longWordLengths(word: string): readonly number[] {
  const known = longWords.get(word)
  if (known !== undefined) return known
  if (longWords.size >= maxLongWords) longWords.clear()
  const lengths = tokenLengths(byteString(word))
  longWords.set(word, lengths)
  return lengths
}

function rememberedCount(word: string): number {
  const known = remembered.get(word)
  if (known !== undefined) return known
  if (remembered.size >= maxRemembered) remembered.clear()
  const count = tokenLengths(byteString(word)).length
  remembered.set(word.length > maxCopiedSlice ? Buffer.from(word).toString() : word, count)
  return count
}

/** Of a whole text, with the tokenizer's pattern and without its cost for long words. */
export function countTokens(text: string): number {
  let tokens = 0
  for (let at = 0; at < text.length; ) {
    const end = wordEnd(text, at, Number.POSITIVE_INFINITY)
    const word = text.slice(at, end)
    tokens += word.length <= maxRememberedLength ? rememberedCount(word) : longWordLengths(word).length
    at = end
  }
  return tokens
}

/**
 * Cuts where a token and a character end together: any stretch of a word's tokens is what the tokenizer makes of that
 * stretch alone, as long as the pattern takes it for one word again (see `readsAlone`).
 */
function cutWord(word: string, lengths: readonly number[], rough: boolean, units: Unit[]): void {
  let [from, at, byte, tokenEnd, tokens] = [0, 0, 0, 0, 0]
  let isRough = rough
  for (const length of lengths) {
    tokenEnd += length
    tokens++
    while (byte < tokenEnd) {
      const point = word.codePointAt(at) as number
      byte += point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4
      at += point < 0x10000 ? 1 : 2
    }
    const isSmooth = at === word.length || readsAlone(word, at)
    if (byte !== tokenEnd || !(isSmooth || tokens >= maxStretchTokens)) continue
    units.push({ length: at - from, tokens, rough: isRough })
    from = at
    tokens = 0
    isRough = !isSmooth
  }
}

/** The rest of a word is one word, whatever comes after it. */
function readsAlone(word: string, at: number): boolean {
  const isLast = at + ((word.codePointAt(at) as number) > 0xffff ? 2 : 1) === word.length
  const isBlank = isSpaceAt(word, 0) && isSpaceAt(word, 1)
  return !isLast && (isBlank || !isSpaceAt(word, at))
}
