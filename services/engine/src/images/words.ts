// Words of an instruction: quotes keep spaces, a backslash keeps the next character.
export function splitWords(text: string): string[] {
  const words: string[] = []
  let word: string | undefined
  let quote = ''
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at] ?? ''
    if (character === '\\' && quote !== "'" && at + 1 < text.length) {
      at += 1
      word = (word ?? '') + (text[at] ?? '')
    } else if (quote !== '') {
      if (character === quote) quote = ''
      else word = (word ?? '') + character
    } else if (character === '"' || character === "'") {
      quote = character
      word ??= ''
    } else if (/\s/.test(character)) {
      if (word !== undefined) words.push(word)
      word = undefined
    } else word = (word ?? '') + character
  }
  return word === undefined ? words : [...words, word]
}
