// What English words have in common: the stems of the Porter2 rules. A stem is no word, only the same for words that
// mean the same.

const irregular = new Map(
  Object.entries({
    skis: 'ski',
    skies: 'sky',
    dying: 'die',
    lying: 'lie',
    tying: 'tie',
    idly: 'idl',
    gently: 'gentl',
    ugly: 'ugli',
    early: 'earli',
    only: 'onli',
    singly: 'singl',
    ...Object.fromEntries(['sky', 'news', 'howe', 'atlas', 'cosmos', 'bias', 'andes'].map((word) => [word, word])),
  }),
)
const finishedEarly = new Set('inning outing canning herring earring proceed exceed succeed'.split(' '))

type Rules = readonly (readonly [ending: string, becomes: string])[]

/** Each table with the longer endings before those they end in. */
const secondStep: Rules = [
  ['ational', 'ate'],
  ['fulness', 'ful'],
  ['iveness', 'ive'],
  ['ization', 'ize'],
  ['ousness', 'ous'],
  ['biliti', 'ble'],
  ['lessli', 'less'],
  ['tional', 'tion'],
  ['alism', 'al'],
  ['aliti', 'al'],
  ['ation', 'ate'],
  ['entli', 'ent'],
  ['fulli', 'ful'],
  ['iviti', 'ive'],
  ['ousli', 'ous'],
  ['abli', 'able'],
  ['alli', 'al'],
  ['anci', 'ance'],
  ['ator', 'ate'],
  ['enci', 'ence'],
  ['izer', 'ize'],
  ['bli', 'ble'],
]
const thirdStep: Rules = [
  ['ational', 'ate'],
  ['tional', 'tion'],
  ['alize', 'al'],
  ['icate', 'ic'],
  ['iciti', 'ic'],
  ['ical', 'ic'],
  ['ness', ''],
  ['ful', ''],
]
const fourthStep: Rules = 'ement able ance ence ible ment ant ate ent ism iti ive ize ous al er ic'
  .split(' ')
  .map((ending) => [ending, ''] as const)

/** Where the part begins that an ending must lie in: after the first consonant that follows a vowel. */
function regionAfter(word: string, start: number): number {
  const found = /[aeiouy][^aeiouy]/.exec(word.slice(start))
  return found === null ? word.length : start + found.index + 2
}

const hasVowel = (text: string): boolean => /[aeiouy]/.test(text)
const endsInShortSyllable = (text: string): boolean =>
  /(?:^|[^aeiouy])[aeiouy][^aeiouywxY]$|^[aeiouy][^aeiouy]$/.test(text)

/** `word` in small letters a to z. */
export function stemOf(word: string): string {
  if (word.length < 3) return word
  const known = irregular.get(word)
  if (known !== undefined) return known
  // A `y` that sounds as a consonant does not count as a vowel.
  let stem = withoutPlural(word.replace(/^y|(?<=[aeiouy])y/g, 'Y'))
  if (finishedEarly.has(stem)) return stem
  const special = /^(?:gener|commun|arsen)/.exec(stem)
  const first = special ? special[0].length : regionAfter(stem, 0)
  const second = regionAfter(stem, first)
  stem = withoutTense(stem, first)
  stem = stem.replace(/(?<=.[^aeiouy])[yY]$/, 'i')
  stem = withoutDerivation(stem, first, second)
  return withoutLastLetter(stem, first, second).toLowerCase()
}

function withoutPlural(word: string): string {
  if (word.endsWith('sses')) return word.slice(0, -2)
  if (/ie[ds]$/.test(word)) return word.length > 4 ? word.slice(0, -2) : word.slice(0, -1)
  if (/(?:us|ss)$/.test(word)) return word
  return word.endsWith('s') && hasVowel(word.slice(0, -2)) ? word.slice(0, -1) : word
}

function withoutTense(word: string, first: number): string {
  const past = /eed(?:ly)?$/.exec(word)
  if (past) return past.index >= first ? word.slice(0, past.index + 2) : word
  const tense = /(?:ed|ing)(?:ly)?$/.exec(word)
  const rest = tense ? word.slice(0, tense.index) : ''
  if (!hasVowel(rest)) return word
  if (/(?:at|bl|iz)$/.test(rest)) return `${rest}e`
  if (/(bb|dd|ff|gg|mm|nn|pp|rr|tt)$/.test(rest)) return rest.slice(0, -1)
  return first >= rest.length && endsInShortSyllable(rest) ? `${rest}e` : rest
}

function withoutDerivation(word: string, first: number, second: number): string {
  let stem = replaced(word, secondStep, first)
  if (stem === undefined) {
    if (/logi$/.test(word) && word.length - 3 >= first) stem = word.slice(0, -1)
    else stem = /[cdeghkmnrt]li$/.test(word) && word.length - 2 >= first ? word.slice(0, -2) : word
  }
  const third: string = replaced(stem, thirdStep, first) ?? stem
  stem = third === stem && stem.endsWith('ative') && stem.length - 5 >= second ? stem.slice(0, -5) : third
  const fourth: string = replaced(stem, fourthStep, second) ?? stem
  return fourth === stem && /[st]ion$/.test(stem) && stem.length - 3 >= second ? stem.slice(0, -3) : fourth
}

/** By the first rule whose ending it has; undefined when it has none. */
function replaced(word: string, rules: Rules, region: number): string | undefined {
  for (const [ending, becomes] of rules) {
    if (!word.endsWith(ending)) continue
    const start = word.length - ending.length
    return start >= region ? word.slice(0, start) + becomes : word
  }
  return undefined
}

function withoutLastLetter(word: string, first: number, second: number): string {
  const last = word.length - 1
  if (word.endsWith('e') && (last >= second || (last >= first && !endsInShortSyllable(word.slice(0, -1))))) {
    return word.slice(0, -1)
  }
  return word.endsWith('ll') && last >= second ? word.slice(0, -1) : word
}
