// Cuts text into the words it is found by. A word counts by its stem, and as it stands besides, so that the same form
// counts more; names of code and numbers count whole and in parts.
import { stemOf } from './stem.ts'

/** Words that say nothing about a text. */
const common = new Set(
  `a about an and any are as at be been being but by can could did do does each for from had has have how i if in into
  is it its me my no nor not of on or our shall she should so some such tell than that the their them then there these
  they this those to us was we were what when where which while who whom whose why will with would you your`.split(
    /\s+/,
  ),
)

export interface Word {
  /** What it is found by. */
  terms: readonly string[]
  /** How many words of the text these are: none where it is common, or the whole of what was told in parts. */
  length: number
  isCommon?: boolean
}

const maxLetters = 64
const plainText = /^[\x20-\x7e\s]*$/
const plainTokens = /[A-Za-z0-9]+(?:(?:[_.'-]|::|__|,(?=\d))[A-Za-z0-9]+)*(?:\+\+|#)?/g
const anyTokens =
  /[\p{L}\p{N}][\p{L}\p{N}\p{M}]*(?:(?:[_.'’\u2010\u2011-]|::|__|,(?=\d))[\p{L}\p{N}][\p{L}\p{N}\p{M}]*)*(?:\+\+|#)?/gu
const plainWord = /^[A-Z]?[a-z]+$|^[A-Z]+$/
/** Written without spaces: every two letters in a row are a word. */
const unspaced = /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmr}\p{sc=Mymr}]/u
const number = /^\d+(?:[.,]\d+)*$/

export const tokensOf = (text: string): readonly string[] =>
  text.match(plainText.test(text) ? plainTokens : anyTokens) ?? []

/** The words of one token. */
export function wordsIn(token: string): Word[] {
  if (plainWord.test(token)) return [wordOf(token.toLowerCase())]
  if (unspaced.test(token)) return pairsOf(token)
  if (number.test(token)) return numberWords(token)
  const parts = partsOf(token)
  const words = parts.flatMap((part) => (number.test(part) ? numberWords(part) : [wordOf(part)]))
  const whole = parts.join('') + (/\+\+$|#$/.exec(token)?.[0] ?? '')
  if (parts.length > 1 || whole !== parts[0]) words.push({ terms: [cut(whole)], length: 0 })
  return words
}

function wordOf(word: string): Word {
  const form = cut(word)
  if (common.has(form)) return { terms: [form], length: 0, isCommon: true }
  const stem = /^[a-z]+$/.test(form) ? stemOf(form) : form
  return { terms: stem === form ? [stem] : [stem, `=${form}`], length: 1 }
}

const cut = (word: string): string => word.slice(0, maxLetters)

/** Without case, accents and apostrophes, parted where a name of code is. */
function partsOf(token: string): string[] {
  return token
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .normalize('NFC')
    .replace(/['’](?:s$)?/g, '')
    .replace(/(\p{Ll}|\d)(?=\p{Lu})|(\p{Lu})(?=\p{Lu}\p{Ll})/gu, '$1$2 ')
    .toLowerCase()
    .split(/[^\p{L}\p{N},.]+|(?<!\d)[.,]|[.,](?!\d)/u)
    .filter((part) => part !== '')
}

/** `1,550.00` is 1550, `1.2.3` is that and 1, 2 and 3, and `007` is 7 as well. */
function numberWords(token: string): Word[] {
  const grouped = /^\d{1,3}(?:,\d{3})+(?:\.\d+)?$/.test(token)
  const plain = grouped ? token.replaceAll(',', '') : token
  if (!/[.,]/.test(plain)) return [numberWord(plain)]
  const value = /^\d+[.,]\d+$/.test(plain) ? plain.replace(',', '.').replace(/\.?0+$/, '') : plain
  const parts = grouped ? [] : plain.split(/[.,]/)
  return [numberWord(value), ...parts.map((part) => ({ ...numberWord(part), length: 0 }))]
}

function numberWord(digits: string): Word {
  const value = cut(digits.replace(/^0+(?=\d)/, ''))
  return { terms: value === digits ? [value] : [value, `=${cut(digits)}`], length: 1 }
}

function pairsOf(token: string): Word[] {
  const letters = [...token.normalize('NFKC').toLowerCase()].filter((letter) => /[\p{L}\p{N}]/u.test(letter))
  if (letters.length < 2) return letters.map((letter) => ({ terms: [letter], length: 1 }))
  return letters.slice(1).map((letter, before) => ({ terms: [(letters[before] ?? '') + letter], length: 1 }))
}
