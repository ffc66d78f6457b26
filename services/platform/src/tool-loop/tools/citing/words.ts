// Words as they are compared: the same word in another form, or a number in words, counts as the same.
import { plainNumber, unitAround, unitOf, valueOfWord } from './numbers.ts'
import { stem } from './stem.ts'

export interface Word {
  key: string
  isNumber: boolean
  /** Of a number, where one follows. */
  unit?: string | undefined
  /** Written large where a sentence does not begin, or with digits in it. */
  isName: boolean
  /** `not paid`. */
  isNegated: boolean
}

// Scripts without spaces are compared by pairs of letters.
const unspaced = '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Thai}'
const letters = `(?:(?![${unspaced}])[\\p{L}\\p{M}])+`
const found = new RegExp(
  [
    `(?<pairs>[${unspaced}]+)`,
    // TW-100, E-322, 300-CAL, snake_case_2: one name, in which the digits are no number.
    `(?<name>\\p{Lu}\\p{L}{0,7}[-_]?\\p{Nd}+(?:[-_.]?[\\p{L}\\p{Nd}]+)*|\\p{Nd}+-\\p{Lu}{2,}|\\p{L}+_[\\p{L}\\p{Nd}_]+)`,
    '(?<number>\\p{N}+(?:[.,:]\\p{N}+)*)(?:st|nd|rd|th)?',
    `(?<word>\\p{L}+ty-\\p{L}+|${letters}(?:['’]\\p{L}+)*)`,
  ].join('|'),
  'gu',
)

const negators = new Set('not no never none nobody nothing neither nor without cannot'.split(' '))
// `No more than 80` denies nothing.
const bounds = new Set('more less fewer later earlier longer only just until before than'.split(' '))

/** Words that say something, in order; those that every text has are left out. */
export function contentWords(text: string): Word[] {
  const words: Word[] = []
  let beginsSentence = true
  let isNegated = false
  let before = 0
  for (const match of text.matchAll(found)) {
    const between = text.slice(before, match.index)
    if (/[.!?:\n]/.test(between)) beginsSentence = true
    if (/[.!?;\n]/.test(between)) isNegated = false
    before = match.index + match[0].length
    const { pairs, name, number } = match.groups ?? {}
    const lower = match[0].toLowerCase().replaceAll('’', "'")
    if (pairs !== undefined) words.push(...pairsOf(pairs))
    else if (name !== undefined) words.push({ ...plain, key: lower, isName: true })
    else if (number !== undefined) {
      const unit = unitAround(
        text.slice(Math.max(0, match.index - 2), match.index),
        text.slice(before, before + unitLetters),
      )
      words.push({ ...plain, key: plainNumber(number), isNumber: true, unit })
    } else if (negators.has(lower) || lower.endsWith("n't")) isNegated = true
    else if (bounds.has(lower)) isNegated = false
    else {
      const isLarge = lower !== match[0] && (!beginsSentence || /^ \p{Lu}/u.test(text.slice(before, before + 2)))
      const [word] = wordOf(lower, isLarge, text.slice(before, before + unitLetters))
      if (word !== undefined) words.push({ ...word, isNegated })
      if (word !== undefined) isNegated = false
    }
    beginsSentence = false
  }
  return words
}

const unitLetters = 40
const plain = { isNumber: false, isName: false, isNegated: false }

function wordOf(lower: string, isName: boolean, following: string): Word[] {
  const value = valueOfWord(lower)
  if (value !== undefined) return [{ ...plain, key: value, isNumber: true, unit: unitAround('', following) }]
  return emptyWords.has(lower) ? [] : [{ ...plain, key: stem(lower), isName }]
}

/** Euros or days: what stands beside many numbers. */
export const isUnit = ({ key }: Word): boolean => unitOf(key) !== undefined

function pairsOf(text: string): Word[] {
  const letters = [...text]
  const keys =
    letters.length === 1 ? letters : letters.slice(1).map((letter, index) => `${letters[index] ?? ''}${letter}`)
  return keys.map((key) => ({ ...plain, key }))
}

const emptyWords = new Set(
  `a about above after again all also am an and any are aren't as at be because been before being below between both
   but by can can't cannot could couldn't did didn't do does doesn't doing don't down during each few for from further
   had has hasn't have haven't he her here hers him his how i i'm i've if in into is isn't it it's its itself just let
   like may me might more most must my no nor not now of off on once one only or other our ours out over own per please
   same she should so some such than that that's the their theirs them then there these they this those through to too
   under until up upon us very was wasn't we were what when where which while who whom whose why will with within won't
   would you your yours
   according answer based context contain detail document file following help hello hi information know known mean
   mention mentioned mentions note okay passage provide provided provides question regarding said say says source state
   stated states sure tell text thank thanks uploaded yes`
    .trim()
    .split(/\s+/),
)
