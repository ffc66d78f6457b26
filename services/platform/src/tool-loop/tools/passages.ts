// Passages as a model reads them: best first, each with its number, its file and its headings. The built-in model can read little, is
// easily led astray by what is beside the point, and answers best when it reads a text before the question.
import type { ChatMessage } from '@atoll/models/chat'
import { sentencesOf } from './citing/sentences.ts'
import type { Passage } from './hosted-tool.ts'
import { excerpt } from './passages/excerpt.ts'
import { roughTokens } from './rough-tokens.ts'

/** Less says nothing. */
const leastTokens = 40
/** Where not all fits, the best passage gets half of the room, the next half of the rest, but no less than this. */
const leastShareTokens = 120
/** Who can read no more than this gets only what scores nearly as well as the best. */
export const smallReaderTokens = 2_000
const nearlyBest = 0.6

export interface Reading {
  /** What was asked: where a passage must be cut, the sentences around it stay. */
  query: string
  /** About so many tokens for all passages. */
  tokens: number
  /** Of the first passage; 1 unless searches went before. */
  firstNumber?: number
}

/** The passages, best first, as far as there is room. Empty when there are none. */
export function passagesText(passages: readonly Passage[], { query, tokens, firstNumber = 1 }: Reading): string {
  const shown = new Set<string>()
  const texts: string[] = []
  const worth = tokens > smallReaderTokens ? 0 : nearlyBest * (passages[0]?.score ?? 0)
  const fitWhole = passages.reduce((sum, { text }) => sum + roughTokens(text), 0) <= tokens
  let left = tokens
  for (const [index, passage] of passages.entries()) {
    if (left < leastTokens || passage.score < worth) break
    const title = `[${firstNumber + index}] ${placeOf(passage)}\n`
    const room = fitWhole ? left : Math.min(left, Math.max(leastShareTokens, left / 2))
    const text = excerptUnseen(passage, query, room, shown)
    if (text === '') continue
    texts.push(title + text)
    left -= roughTokens(title) + roughTokens(text)
  }
  return texts.join('\n\n')
}

/** Its file, and under which headings it stands there, as far as its file's name and itself do not say so. */
function placeOf({ fileName, heading = '', text }: Passage): string {
  const [first = '', ...rest] = heading.split(' › ')
  const parts = isNameOf(first, fileName) ? rest : [first, ...rest]
  const last = parts.at(-1) ?? ''
  const isTold = last === '' || text.replace(/^[\s#]+/, '').startsWith(last)
  return isTold ? fileName : [fileName, ...parts].join(' › ')
}

/** A file without a title is called by its name. */
function isNameOf(title: string, fileName: string): boolean {
  const letters = (name: string): string => name.toLowerCase().replace(/[\s._-]+/g, ' ')
  return letters(fileName.replace(/\.\w+$/, '')) === letters(title)
}

/** Chunks of a file overlap: what one has shown need not be read again. */
function excerptUnseen({ fileId, text }: Passage, query: string, tokens: number, shown: Set<string>): string {
  const key = (sentence: string): string => `${fileId} ${sentence.trim()}`
  const sentences = sentencesOf(text).filter((sentence) => !shown.has(key(sentence)))
  const chosen = excerpt(sentences, query, tokens)
  for (const sentence of sentences) if (chosen.includes(sentence.trim())) shown.add(key(sentence))
  return chosen
}

/** The conversation with what a search found before the last thing that the user said. */
export function withContext(messages: readonly ChatMessage[], found: readonly string[]): ChatMessage[] {
  const last = messages.findLastIndex(({ role }) => role === 'user')
  const context = `<context>\n${found.join('\n\n')}\n</context>`
  return messages.map((message, index) => {
    if (index !== last || message.role !== 'user' || found.length === 0) return message
    const { content } = message
    if (typeof content === 'string') return { ...message, content: `${context}\n\n${content}` }
    return { ...message, content: [{ type: 'text', text: context }, ...content] }
  })
}
