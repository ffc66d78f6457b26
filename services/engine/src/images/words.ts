// Words of an instruction: quotes keep spaces, a backslash keeps the next character, and `$NAME` stands for a variable,
// except between single quotes.
export type Variables = (name: string) => string | undefined

/** Without variables, `$` is a character like any other. */
export const splitWords = (text: string, variables?: Variables): string[] => readWords(text, variables, true)

/** The same without splitting: spaces are kept. */
export const expandWord = (text: string, variables: Variables): string => readWords(text, variables, false)[0] ?? ''

function readWords(text: string, variables: Variables | undefined, splits: boolean): string[] {
  const words: string[] = []
  let word: string | undefined
  let quote = ''
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at] ?? ''
    if (character === '\\' && quote !== "'" && at + 1 < text.length) {
      at += 1
      word = (word ?? '') + (text[at] ?? '')
    } else if (character === '$' && quote !== "'" && variables !== undefined) {
      const { value, length } = expand(text.slice(at), variables)
      word = (word ?? '') + value
      at += length - 1
    } else if (quote !== '') {
      if (character === quote) quote = ''
      else word = (word ?? '') + character
    } else if (character === '"' || character === "'") {
      quote = character
      word ??= ''
    } else if (splits && /\s/.test(character)) {
      if (word !== undefined) words.push(word)
      word = undefined
    } else word = (word ?? '') + character
  }
  return word === undefined ? words : [...words, word]
}

/** `$NAME`, `${NAME}`, `${NAME:-when empty}`, `${NAME:+when not}`. Anything else is a dollar sign. */
const variableForm = /^\$(?:([A-Za-z_]\w*)|\{([A-Za-z_]\w*)(?::([-+])([^}]*))?\})/

function expand(text: string, variables: Variables): { value: string; length: number } {
  const found = variableForm.exec(text)
  if (found === null) return { value: '$', length: 1 }
  const [whole, plain, braced = '', condition, otherwise = ''] = found
  const value = variables(plain ?? braced) ?? ''
  const chosen = { '-': value || otherwise, '+': value === '' ? '' : otherwise }[condition ?? ''] ?? value
  return { value: chosen, length: whole.length }
}
