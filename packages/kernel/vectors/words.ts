// Cuts text into the words it is found by: letters and digits only, so a word is never syntax of a search language.

const maxWordLetters = 64
const plainText = /^[\x20-\x7e\s]*$/
const plainWords = /[a-z0-9]+/g
const anyWords = /[\p{L}\p{N}]+/gu
/** Written without spaces: every two letters in a row are a word. */
const unspaced = /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmr}\p{sc=Mymr}]/u
const marks = /\p{M}+/gu

/** Each word once, in the order of the text; without case and accents. */
export function wordsOf(text: string): Set<string> {
  const words = new Set<string>()
  if (plainText.test(text)) {
    for (const word of text.toLowerCase().match(plainWords) ?? []) words.add(word.slice(0, maxWordLetters))
    return words
  }
  const folded = text.normalize('NFKD').toLowerCase().replace(marks, '').normalize('NFC')
  for (const word of folded.match(anyWords) ?? []) {
    if (unspaced.test(word)) for (const pair of pairsOf(word)) words.add(pair)
    else words.add(word.slice(0, maxWordLetters))
  }
  return words
}

function pairsOf(run: string): string[] {
  const letters = [...run]
  if (letters.length < 2) return letters
  return letters.slice(1).map((letter, before) => (letters[before] ?? '') + letter)
}

const common = new Set(
  `a about an and are as at be been but by can could did do does for from had has have how i if in into is it its me my
  no not of on or our shall she should so some tell than that the their them then there these they this those to us was
  we were what when where which who whom why will with would you your`.split(/\s+/),
)

/** The words of a question that can tell chunks apart; all of them when every one is common. */
export function tellingWords(question: string): string[] {
  const all = [...wordsOf(question)]
  const telling = all.filter((word) => !common.has(word))
  return telling.length > 0 ? telling : all
}
