// `<<NAME`: where a line is followed by a document of its own.
import type { EscapeCharacter, Heredoc } from './dockerfile.ts'
import { expandWord } from './expand.ts'
import { Wrong } from './problem.ts'

export type HeredocMark = Pick<Heredoc, 'name' | 'isChomped' | 'isExpanded'>

const takesHeredocs = /^(?:ONBUILD\s+)?(?:RUN|COPY|ADD)\s+(.*)$/is

/** What follows a statement, in order. The JSON form has none. */
export function findHeredocs(statement: string, escapedBy: EscapeCharacter): HeredocMark[] {
  const [, rest] = takesHeredocs.exec(statement) ?? []
  if (rest === undefined || !rest.includes('<<') || isJsonArray(rest)) return []
  return rawWords(rest, escapedBy).flatMap((word) => readHeredocMark(word) ?? [])
}

const markForm = /^\d*<<(-?)\s*([^<]+)$/

export function readHeredocMark(word: string): HeredocMark | undefined {
  const [, dash, written] = markForm.exec(word) ?? []
  if (written === undefined) return undefined
  try {
    const name = expandWord(written, (variable) => `$${variable}`, { escapedBy: '\\' })
    if (name === '' || /\s/.test(name)) return undefined
    return { name, isChomped: dash === '-', isExpanded: name === written }
  } catch (error) {
    // A quote that is not closed: a shell will say so.
    if (error instanceof Wrong) return undefined
    throw error
  }
}

/** Tabs at the beginning of lines are left out, as `<<-` asks for. */
export const chomped = ({ content, isChomped }: Heredoc): string =>
  isChomped ? content.replace(/^\t+/gm, '') : content

const isJsonArray = (text: string): boolean => {
  if (!text.trimStart().startsWith('[')) return false
  try {
    return Array.isArray(JSON.parse(text))
  } catch {
    return false
  }
}

/** Words with their quotes and escapes, as a shell would cut them. A mark may have a space after it: `<< EOF`. */
function rawWords(text: string, escapedBy: EscapeCharacter): string[] {
  const words: string[] = []
  let word = ''
  let quote = ''
  for (let at = 0; at < text.length; at++) {
    const character = text.charAt(at)
    if (quote !== '') {
      if (character === escapedBy && quote === '"') word += character + text.charAt(++at)
      else word += character
      if (character === quote) quote = ''
    } else if (/\s/.test(character)) {
      if (/^\d*<<-?$/.test(word)) continue
      if (word !== '') words.push(word)
      word = ''
    } else {
      if (character === '"' || character === "'") quote = character
      word += character
      if (character === escapedBy) word += text.charAt(++at)
    }
  }
  return word === '' ? words : [...words, word]
}
