// Finds in outside text what a model could take for the end of that text: our own markers, however they are disguised,
// and the tokens by which chat templates tell one speaker from the next.
import { fold } from './folding.ts'

export const markerName = 'EXTERNAL_UNTRUSTED_CONTENT'

export interface Forgery {
  kind: 'marker' | 'token'
  start: number
  end: number
}

/** In the order they come, none within another. */
export function findForgeries(content: string): Forgery[] {
  const { text, from, to } = fold(content)
  const found = [...markersIn(text), ...tokensIn(text)].sort((one, other) => one.start - other.start)
  const forgeries: Forgery[] = []
  for (const { kind, start, end } of found) {
    const begin = from(start)
    if (begin >= (forgeries.at(-1)?.end ?? 0)) forgeries.push({ kind, start: begin, end: to(end - 1) })
  }
  return forgeries
}

const letters = markerName.toLowerCase().replaceAll('_', '')
const digits: Record<string, string> = { 0: 'o', 1: 'l', 3: 'e', 4: 'a', 5: 's', 7: 't' }
/** May be letters, may be what stands between them. */
const signs: Record<string, string> = { '@': 'a', $: 's', '|': 'l', '!': 'l', '+': 't', '€': 'e', '(': 'c', '×': 'x' }

/** What may become the name: so many letters of it are there. */
interface Candidate {
  count: number
  begin: number
}

/** The name by its letters alone, whatever else but letters stands between them. */
function markersIn(text: string): Forgery[] {
  const found: Forgery[] = []
  let candidates: Candidate[] = []
  for (let index = 0; index < text.length; index++) {
    if (candidates.length === 0) index = startFrom(text, index)
    const sign = text[index] ?? ''
    const meant = digits[sign] ?? signs[sign] ?? sign
    const isOne = isLetter(sign)
    if (!isOne && meant === sign) continue
    candidates = goneOn(candidates, meant, isOne, index)
    const [longest] = candidates
    if (longest?.count !== letters.length) continue
    found.push({ kind: 'marker', ...widened(text, longest.begin, index + 1) })
    candidates = []
  }
  return found
}

const firstTwo = /[e3€][^a-z0-9]{0,64}[x×]/g

/** Most texts have few places where it could begin: the rest is not looked at letter by letter. */
function startFrom(text: string, index: number): number {
  firstTwo.lastIndex = index
  return firstTwo.exec(text)?.index ?? text.length
}

/** The longest first, and one of each length: a sign can be a letter or be passed over, a letter cannot. */
function goneOn(candidates: readonly Candidate[], meant: string, isOne: boolean, index: number): Candidate[] {
  const next: Candidate[] = []
  for (const candidate of candidates) {
    const { count, begin } = candidate
    if (letters[count] === meant && next.at(-1)?.count !== count + 1) next.push({ count: count + 1, begin })
    if (!isOne && next.at(-1)?.count !== count) next.push(candidate)
  }
  if (meant === letters[0] && next.at(-1)?.count !== 1) next.push({ count: 1, begin: index })
  return next
}

const isLetter = (sign: string): boolean =>
  (sign >= 'a' && sign <= 'z') || (sign >= '0' && sign <= '9') || (sign > '\x7f' && /[\p{L}\p{N}]/u.test(sign))

const lookAround = 80
const opening = /<[<\s/_.-]{0,20}$/
const endWord = /(?<![a-z])e[^a-z0-9<>]{0,8}n[^a-z0-9<>]{0,8}d[^a-z0-9<>]{0,8}$/
const closing = /^[^<>\n]{0,60}>{1,12}/

/** With the brackets around it, and with END before it. */
function widened(text: string, first: number, last: number): Pick<Forgery, 'start' | 'end'> {
  const before = text.slice(Math.max(0, first - lookAround), first)
  const beforeEnd = before.replace(endWord, '')
  const start = first - before.length + beforeEnd.replace(opening, '').length
  return { start, end: last + (closing.exec(text.slice(last, last + lookAround))?.[0].length ?? 0) }
}

const inAngles = [
  ...['s', 'bos', 'eos', 'start_of_turn', 'end_of_turn', 'begin_of_text', 'end_of_text'],
  ...['tool_call', 'tool_calls', 'tool_response', 'tool_responses'],
]
const inSquares = ['inst', 'sys', 'system_prompt', 'available_tools', 'tool_calls', 'tool_results', 'tool_content']

/** Between bars in angle brackets anything is one; without bars, those that are known. */
const token = new RegExp(
  ['<\\|[^<>|\\s]{1,60}\\|>', '<</?sys>>', `</?(?:${inAngles.join('|')})>`, `\\[/?(?:${inSquares.join('|')})\\]`].join(
    '|',
  ),
  'g',
)

const tokensIn = (text: string): Forgery[] =>
  Array.from(text.matchAll(token), ({ index, 0: found }) => ({
    kind: 'token',
    start: index,
    end: index + found.length,
  }))
