import { createRequire } from 'node:module'
import { months } from './lexicon.ts'

// wink-nlp and its English model (MIT) are needed here alone and are no dependency of Atoll:
// npm install --no-save wink-nlp wink-eng-lite-web-model
const load = createRequire(import.meta.url)
const winkNLP: (model: object, pipe: string[]) => Nlp = load('wink-nlp')
const model: object = load('wink-eng-lite-web-model')

type Helper = (index: number, ...rest: unknown[]) => unknown

/** What is used of it. */
interface Nlp {
  its: { value: Helper; pos: Helper; lemma: Helper; precedingSpaces: Helper }
  readDoc(text: string): {
    sentences(): { each(visit: (item: { tokens(): { out(helper: Helper): unknown } }) => void): void }
  }
}

/** A word: as written, part of speech (universal tags), lemma, whether a space stands before it. */
export type Token = { w: string; l: string; p: string; lemma: string; space: boolean }
export type Sentence = { text: string; tokens: Token[] }

const nlp = winkNLP(model, ['sbd', 'pos'])
const its = nlp.its
/** How often a word in small letters had a part of speech: repairs words at the start of a sentence. */
const seen = new Map<string, Map<string, number>>()

/** How often a word stood with a capital inside a sentence. */
const capitals = new Map<string, number>()

export function keepsCapital(token: Token): boolean {
  let small = 0
  for (const count of seen.get(token.l)?.values() ?? []) small += count
  return (capitals.get(token.w) ?? 0) > small
}

export function cleanText(text: string): string {
  return text
    .replace(/[\u2018\u2019\u02bc]/g, "'")
    .replace(/[\u201c\u201d]/g, '"')
    .replace(/\u00a0/g, ' ')
    .replace(/\[\d+\]/g, '')
    .replace(/\(\s*\)/g, '')
    .replace(/\s+([,.;:])(?=\s|$)/g, '$1')
    .replace(/\s+/g, ' ')
    .trim()
}

export function readSentences(paragraph: string): Sentence[] {
  const doc = nlp.readDoc(paragraph)
  const groups: Token[][] = []
  doc.sentences().each((item) => {
    const list = item.tokens()
    const written = list.out(its.value) as string[]
    const tags = list.out(its.pos) as string[]
    const lemmas = list.out(its.lemma) as string[]
    const spaces = list.out(its.precedingSpaces) as string[]
    const tokens: Token[] = []
    for (const [index, w] of written.entries()) {
      const p = tags[index] ?? 'X'
      if (p === 'SPACE') continue
      tokens.push({
        w,
        l: w.toLowerCase(),
        p,
        lemma: lemmas[index] ?? w,
        space: tokens.length > 0 && spaces[index] !== '',
      })
    }
    const merged = mergeHyphens(tokens)
    const before = groups.at(-1)
    if (before && cutTooEarly(before, merged)) {
      glueEnd(before)
      before.push(...merged.map((token, index) => (index === 0 ? { ...token, space: true } : token)))
    } else if (merged.length > 0) groups.push(merged)
  })
  return groups.map((group) => {
    const tokens = repair(group)
    return { text: render(tokens), tokens }
  })
}

const commonStart =
  /^(The|In|It|This|These|However|A|An|As|At|On|He|She|They|But|And|For|By|When|While|Although|After|There|Its|His|Her|If|We|You)$/

/** A point after an abbreviation was taken for the end of the sentence. */
function cutTooEarly(before: Token[], after: Token[]): boolean {
  const last = before.at(-1)?.w ?? ''
  const two = (before.at(-2)?.w ?? '') + last
  const first = after[0]?.w ?? ''
  if (/^[a-z]/.test(first)) return true
  return (
    (/(^|\.)[A-Z]\.$/.test(two) ||
      /(^|[^a-z])(U\.S|Mr|Mrs|Dr|St|Jr|Sr|Inc|Co|vs?|Gen|Col|Prof|Rev|ca|c|e\.g|i\.e|cf|al|No|Fig|Lt|Capt|Sen|Rep|Gov)\.$/.test(
        two,
      )) &&
    !commonStart.test(first)
  )
}

function glueEnd(tokens: Token[]): void {
  const last = tokens.at(-1)
  const before = tokens.at(-2)
  if (last?.w !== '.' || !before) return
  before.w += '.'
  before.l = before.w.toLowerCase()
  tokens.pop()
}

export const render = (tokens: Token[]): string =>
  tokens.map((token, index) => (index > 0 && token.space ? ` ${token.w}` : token.w)).join('')

function mergeHyphens(tokens: Token[]): Token[] {
  const merged: Token[] = []
  for (let index = 0; index < tokens.length; index++) {
    const token = tokens[index] as Token
    const next = tokens[index + 1]
    const before = merged.at(-1)
    const isJoint = /^[-\u2010\u2011/&]$/.test(token.w) || (token.w === '\u2013' && /\d$/.test(before?.w ?? ''))
    if (before && next && isJoint && !token.space && !next.space && /[\w.]$/.test(before.w) && /^\w/.test(next.w)) {
      before.w += token.w + next.w
      before.l = before.w.toLowerCase()
      before.lemma = before.l
      before.p = hyphenTag(before, next)
      index++
    } else {
      merged.push({ ...token })
    }
  }
  return merged
}

function hyphenTag(first: Token, last: Token): string {
  if (/^\d/.test(first.w) && /^\d/.test(last.w)) return 'NUM'
  if (first.p === 'PROPN' && last.p === 'PROPN') return 'PROPN'
  if (first.p === 'NUM' && last.p === 'NUM') return 'NUM'
  return last.p === 'NOUN' && first.p !== 'ADP' && first.p !== 'NUM' && first.p !== 'ADJ' ? 'NOUN' : 'ADJ'
}

function note(token: Token): void {
  let counts = seen.get(token.w)
  if (!counts) {
    if (seen.size > 400_000) return
    counts = new Map()
    seen.set(token.w, counts)
  }
  counts.set(token.p, (counts.get(token.p) ?? 0) + 1)
}

function usualTag(word: string): string | undefined {
  const counts = seen.get(word)
  if (!counts) return undefined
  let best: string | undefined
  for (const [tag, count] of counts) if (best === undefined || count > (counts.get(best) ?? 0)) best = tag
  return best
}

function repair(tokens: Token[]): Token[] {
  for (const [index, token] of tokens.entries()) {
    if (index > 0 && /^[a-z]/.test(token.w)) note(token)
    else if (index > 0 && /^[A-Z][a-z]/.test(token.w) && capitals.size < 400_000)
      capitals.set(token.w, (capitals.get(token.w) ?? 0) + 1)
    if (index === 0 && token.p === 'PROPN' && /^[A-Z][a-z]+$/.test(token.w) && tokens[1]?.p !== 'PROPN') {
      token.p = usualTag(token.l) ?? token.p
    }
    if (/^[A-Z][a-z]+(an|ish|ese)$/.test(token.w) && tokens[index + 1]?.p === 'NOUN') token.p = 'ADJ'
    if (token.p === 'NOUN' && /^(which|who|whom|whose)$/.test(token.l)) token.p = 'PRON'
    if (token.p === 'VERB' && index > 0 && /^[A-Z][a-z]/.test(token.w) && tokens[index - 1]?.p === 'PROPN')
      token.p = 'PROPN'
    if (token.l === 'not' || token.l === "n't") token.p = 'PART'
    if (
      token.l === "'s" &&
      token.p === 'AUX' &&
      /^(NOUN|PROPN)$/.test(tokens[index - 1]?.p ?? '') &&
      /^(NOUN|ADJ|PROPN)$/.test(tokens[index + 1]?.p ?? '')
    ) {
      token.p = 'PART'
    }
    if (/^(1[0-9]|20)\d\ds?$/.test(token.w)) token.p = 'NUM'
    if (/^\d{1,2}(st|nd|rd|th)$/.test(token.w) && months.has(tokens[index - 1]?.w ?? '')) token.p = 'NUM'
  }
  return tokens
}
