// A question as it is found, and what all kinds of questions share.
import { items, join, literal, type Part, type Random, type Ready } from './build.ts'
import { nameTypes, personNouns } from './lexicon.ts'
import { at, type Kind, type Phrase, textOf } from './phrases.ts'
import type { Item } from './synonyms.ts'

export type Raw = { items: Item[]; answer: string; kind: string; full?: Item[]; plain?: boolean }
export const pick = <T>(random: Random, list: readonly T[]): T => list[Math.floor(random() * list.length)] as T
const noun = (text: string): Item[] => literal(text, 'NOUN')

/** Who, what, which country ... for a phrase that is asked for. */
export function whFor(
  ready: Ready,
  phrase: Phrase,
  kind: Kind,
  random: Random,
  subject: boolean,
): { wh: Item[]; plural: boolean } {
  const { tokens } = ready
  const first = at(tokens, phrase.a)
  const which = pick(random, ['Which', 'What'])
  const single = (text: string): { wh: Item[]; plural: boolean } => ({ wh: literal(text), plural: false })
  if (kind === 'person') {
    const lower = first.p === 'DET' ? at(tokens, phrase.a + 1) : first
    if (personNouns.has(lower.l) && at(tokens, phrase.head).p === 'PROPN' && random() < 0.6)
      return single(`${which} ${lower.l}`)
    return single(subject || random() < 0.75 ? 'Who' : 'Whom')
  }
  if (/\bet al\.?$/.test(textOf(tokens, phrase.a, phrase.b))) return single('Who')
  if (kind === 'people') return random() < 0.9 ? single('Who') : { wh: literal('Which people'), plural: true }
  if (kind === 'country' || kind === 'state' || kind === 'city' || kind === 'continent')
    return single(`${which} ${kind}`)
  const head = at(tokens, phrase.head)
  if (
    phrase.parts.length === 1 &&
    head.p === 'PROPN' &&
    phrase.head > phrase.a &&
    nameTypes.has(head.l) &&
    phrase.core === phrase.b
  ) {
    return random() < 0.75 ? { wh: [...literal(which), ...noun(head.l)], plural: phrase.plural } : single('What')
  }
  if (orgs.test(head.l) && phrase.parts.length === 1 && random() < 0.5) return single('Who')
  return single('What')
}

export const orgs =
  /^(government|congress|court|company|army|party|parliament|senate|council|administration|corporation|committee|agency|police|church|firm|crown|team|military|navy|commission|board|family|couple|crew|crowd|tribe|band)$/
export const words = (text: string): number => text.split(/\s+/).length
const pronounHit =
  /\b(he|she|it|they|him|them|we|us|our|i|me|my|this|these|those|here|there|such|himself|another|the following|the former|the latter|above|below)\b/i
const clean = (list: Item[]): boolean =>
  !list.some((item) => pronounHit.test(item.w)) && !/["\u2014:;]/.test(join(list))
export const tail = (ready: Ready, random: Random, without?: Part): Item[] => {
  const part = ready.front.find(
    (item) =>
      item !== without && item.type === 'pp' && item.role !== 'other' && !(without && item.role === without.role),
  )
  return part && random() < 0.45 ? items(ready.tokens, part.a, part.b) : []
}

export function push(found: Raw[], raw: Raw): void {
  if (raw.items.length > 0 && clean(raw.items) && words(raw.answer) <= 22) found.push(raw)
}

export const saying =
  /^(say|think|believe|claim|know|argue|suggest|mean|feel|note|hope|state|insist|assume|realize|conclude|understand|ensure|indicate|lead|push)$/
export const dullAnswer =
  /^((the|a|an|many|some|most|all|several|various|other) )?(people|things?|others?|individuals?|persons?|ones?|groups?|areas?|ways?|something|anything|someone|everyone|example|result|case|fact|point|answer|question|problem|move|change|idea|process|approach|system|act|event|situation|action|decision|effort|issue|policy|program|plan|time|same time|day|year|previous examples?|idea|the latter|former|first|second|next)$/i
