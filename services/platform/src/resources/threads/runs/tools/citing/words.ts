// Words as they are compared: the same word in another form, or a number in words, counts as the same.
export interface Word {
  key: string
  isNumber: boolean
  /** Written large where a sentence does not begin. */
  isName: boolean
}

// Scripts without spaces are compared by pairs of letters.
const unspaced = '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Thai}'
const found = new RegExp(
  `(?<pairs>[${unspaced}]+)|(?<number>\\p{N}+(?:[.,:]\\p{N}+)*)|(?<word>(?:(?![${unspaced}])[\\p{L}\\p{M}])+(?:['’]\\p{L}+)*)`,
  'gu',
)

/** Words that say something, in order; those that every text has are left out. */
export function contentWords(text: string): Word[] {
  const words: Word[] = []
  let beginsSentence = true
  let before = 0
  for (const match of text.matchAll(found)) {
    if (/[.!?:\n]/.test(text.slice(before, match.index))) beginsSentence = true
    before = match.index + match[0].length
    const { pairs, number } = match.groups ?? {}
    if (pairs !== undefined) words.push(...pairsOf(pairs))
    else if (number !== undefined) words.push({ key: plainNumber(number), isNumber: true, isName: false })
    else words.push(...wordOf(match[0], beginsSentence))
    beginsSentence = false
  }
  return words
}

function wordOf(text: string, beginsSentence: boolean): Word[] {
  const lower = text.toLowerCase().replaceAll('’', "'")
  const value = numberWords.get(lower)
  if (value !== undefined) return [{ key: value, isNumber: true, isName: false }]
  if (emptyWords.has(lower)) return []
  return [{ key: stem(lower), isNumber: false, isName: !beginsSentence && lower !== text }]
}

function pairsOf(text: string): Word[] {
  const letters = [...text]
  const keys =
    letters.length === 1 ? letters : letters.slice(1).map((letter, index) => `${letters[index] ?? ''}${letter}`)
  return keys.map((key) => ({ key, isNumber: false, isName: false }))
}

/** `9,000` and `9000` are the same. */
const plainNumber = (text: string): string => text.replace(/,(?=\d{3}(?!\d))/g, '').toLowerCase()

/** Endings of English words taken off, roughly: both sides are treated alike, so it need not be a word. */
function stem(word: string): string {
  let base = word.replace(/'s?$/, '')
  if (base.length > 4 && base.endsWith('ies')) return `${base.slice(0, -3)}y`
  if (base.length > 3 && base.endsWith('s') && !base.endsWith('ss')) base = base.slice(0, -1)
  for (const ending of ['ing', 'ed', 'ly']) {
    if (base.length - ending.length >= 3 && base.endsWith(ending)) {
      base = base.slice(0, -ending.length).replace(/([^aeiouls])\1$/, '$1')
      break
    }
  }
  return base.length > 3 && base.endsWith('e') ? base.slice(0, -1) : base
}

const numberWords = new Map(
  [
    ...'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen'.split(' '),
    ...'sixteen seventeen eighteen nineteen twenty'.split(' '),
  ].map((word, value) => [word, String(value)]),
)
// More often a pronoun than a number.
numberWords.delete('one')

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
