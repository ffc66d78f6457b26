// A line cut into words, with their quotes: those go when the words are expanded.
import type { EscapeCharacter } from './dockerfile.ts'
import { Wrong } from './problem.ts'

export interface Word {
  text: string
  offset: number
}

export function cutWords(line: string, escapedBy: EscapeCharacter): Word[] {
  const words: Word[] = []
  let text = ''
  let begin = -1
  let quote = ''
  const end = () => {
    if (begin !== -1 && text !== '') words.push({ text, offset: begin })
    begin = -1
    text = ''
  }
  for (let at = 0; at < line.length; at++) {
    const character = line.charAt(at)
    if (quote === '' && /\s/.test(character)) {
      end()
      continue
    }
    if (begin === -1) begin = at
    if (character === escapedBy && quote !== "'") {
      // An escape at the very end escapes nothing.
      if (at + 1 === line.length) break
      text += character + line.charAt(++at)
      continue
    }
    if (character === quote) quote = ''
    else if (quote === '' && (character === '"' || character === "'")) quote = character
    text += character
  }
  end()
  return words
}

/** A JSON array of texts; undefined where it is none at all. */
export function readJsonForm(text: string): string[] | undefined {
  if (!text.trimStart().startsWith('[')) return undefined
  let read: unknown
  try {
    read = JSON.parse(text)
  } catch {
    return undefined
  }
  if (!Array.isArray(read)) return undefined
  if (!read.every((each) => typeof each === 'string')) {
    throw new Wrong('when using JSON array syntax, arrays must be comprised of strings only')
  }
  return read
}
