// How good a place is to cut a text.
import { isSpaceAt } from './words.ts'

export const neverCut = -1
const insideWord = 0
const betweenWords = 1
const lineEnd = 2
const sentenceEnd = 3
export const paragraphEnd = 4
export const headingStart = 5

/** What belongs to the character before it: combining marks, emoji modifiers and joiners, jamo. */
const attached = /^(?:\p{M}|\p{Emoji_Modifier}|[\u200d\u1160-\u11ff])/u
const regionalPair = /^\p{RI}\p{RI}/u
const sentence = /(?:[.!?…]["'”’»)\]]*\s*|[。！？｡]["'”’»」』）]*)$/u
const wordCharacter = /[a-z0-9]/i
const joiner = '\u200d'

/** A row or a line of code is better whole than cut where a sentence ends. */
export const strengthInBlock = (strength: number, isLineStart: boolean): number =>
  isLineStart ? Math.max(strength, sentenceEnd) : Math.min(strength, betweenWords)

/** Between `at - 1` and `at`; `text` must go on a little on both sides where it has more. */
export function cutStrength(text: string, at: number): number {
  if (at <= 0 || at >= text.length) return paragraphEnd
  const before = text[at - 1] as string
  if (splitsCharacter(text, at)) return neverCut
  if (before === '\f' || text[at] === '\f') return paragraphEnd
  if (before === '\n') return lineStrength(text, at)
  // The spaces before a word are the word's.
  if (isSpaceAt(text, at - 1)) return neverCut
  if (wordCharacter.test(before)) return isSpaceAt(text, at) ? betweenWords : insideWord
  const endsSentence = sentence.test(text.slice(Math.max(0, at - 4), at))
  if (endsSentence && (isSpaceAt(text, at) || text.charCodeAt(at - 1) > 0x2fff)) return sentenceEnd
  return isSpaceAt(text, at) ? betweenWords : insideWord
}

function lineStrength(text: string, at: number): number {
  if (text[at] === '\n' || isBlankLineBefore(text, at)) return paragraphEnd
  return sentence.test(text.slice(Math.max(0, at - 5), at - 1)) ? sentenceEnd : lineEnd
}

function isBlankLineBefore(text: string, at: number): boolean {
  const nearest = text.slice(Math.max(0, at - 64), at - 1)
  return /\n[^\S\n]*$/.test(nearest)
}

function splitsCharacter(text: string, at: number): boolean {
  // Plain ASCII on the right needs no closer look.
  if (text.charCodeAt(at) < 0x300) return false
  if (text[at - 1] === joiner) return true
  const right = text.slice(at, at + 2)
  return attached.test(right) || regionalPair.test(text.slice(Math.max(0, at - 2), at + 2))
}
