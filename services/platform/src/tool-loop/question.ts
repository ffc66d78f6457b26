// What the run's own search looks for: the user's last message, with what went before where it cannot stand alone.
import { contentWords } from './tools/citing/words.ts'

export interface Said {
  role: 'user' | 'assistant'
  text: string
}

/** Of the answer before, as much as is likely to name what is spoken of. */
const answerLetters = 300
/** So few words are hardly a question of their own. */
const fewWords = 2
const pointsBack =
  /\b(?:it|its|they|them|their|theirs|he|him|his|she|her|hers|this|that|these|those|there|then|one|ones|same|former|latter|else)\b/i
const goesOn =
  /^\s*(?:and|but|or|so|also|what about|how about|why|why not|how so|really|since when|how much|how many|how long|until when|who|where|when)\b[^.!]{0,40}\??\s*$/i

/** Oldest first; empty when no user has said anything. */
export function searchedQuestion(said: readonly Said[]): string {
  const at = said.findLastIndex(({ role }) => role === 'user')
  const last = said[at]?.text ?? ''
  const before = said.slice(0, at)
  const asked = before.findLast(({ role }) => role === 'user')?.text
  if (asked === undefined || !needsMore(last)) return last
  const answer = before.findLast(({ role }) => role === 'assistant')?.text.slice(0, answerLetters)
  return [last, asked, answer].filter(Boolean).join('\n')
}

const questionWord =
  /^\W*(?:who|whom|whose|what|which|when|where|why|how|is|are|was|were|do|does|did|can|could|may|must|should|will|would|has|have|had|tell|show|find|list|name|explain|describe|summari[sz]e|give|look)\b/i

const isQuestion = (text: string): boolean => text.includes('?') || questionWord.test(text)

/** Thanks and greetings build on nothing that is looked for. */
function needsMore(text: string): boolean {
  const words = contentWords(text).length
  const isFollowUp = goesOn.test(text) && words <= 2 * fewWords
  return isFollowUp || (isQuestion(text) && (words <= fewWords || pointsBack.test(text)))
}

/** Whether it wants to know something: a greeting or a task needs no files. */
export const asksSomething = (text: string): boolean => contentWords(text).length > 0 && isQuestion(text)
