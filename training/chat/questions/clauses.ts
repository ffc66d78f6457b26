import { bareAdverbs } from './lexicon.ts'
import { at, type Phrase, phraseAt, textOf } from './phrases.ts'
import type { Token } from './tokens.ts'
import { analyze, type VerbForm } from './verbs.ts'

export type Group = {
  a: number
  b: number
  aux: string[]
  adverbs: string[]
  main: Token
  base: string
  form: VerbForm
  passive: boolean
  copula: boolean
  negated: boolean
}
export type Element = {
  type: 'np' | 'pp' | 'ger' | 'adv' | 'adj' | 'inf' | 'that' | 'sub' | 'rel' | 'part'
  a: number
  b: number
  word: string
  phrase?: Phrase
  comma: boolean
}
export type Clause = {
  tokens: Token[]
  front: Element[]
  subject: Phrase
  subjectEnd: number
  pronoun: boolean
  verb: Group
  elements: Element[]
  apposition?: Phrase
  relative: boolean
  order: number
}

const compound = new Map<string, string>([
  ['because of', 'because of'],
  ['due to', 'due to'],
  ['according to', 'according to'],
  ['instead of', 'instead of'],
  ['such as', 'such as'],
  ['out of', 'out of'],
  ['rather than', 'rather than'],
  ['as well', 'as well'],
  ['along with', 'along with'],
  ['prior to', 'prior to'],
  ['thanks to', 'thanks to'],
  ['in order', 'in order'],
  ['as a', 'as'],
  ['away from', 'away from'],
  ['up to', 'up to'],
  ['next to', 'next to'],
  ['close to', 'close to'],
])
const joiners =
  /^(because|when|while|although|though|if|after|before|since|until|as|where|whereas|unless|once|so|whenever)$/
const relatives = /^(who|which|that|whom|whose|where)$/
const modals =
  /^(will|would|can|could|may|might|must|shall|should|do|does|did|has|have|had|is|are|was|were|be|been|being|'ll|'d)$/

const idioms =
  /^(to (some|a certain|a large|a great|a lesser) (extent|degree)|in (large |great )?part|in fact|in general|in particular|for (example|instance)|at times|at all|in turn|on average|as a result|in addition|of course|at first|for the most part|in this way|by contrast|in contrast)$/

export function groupAt(tokens: Token[], from: number): Group | undefined {
  let index = from
  const aux: Token[] = []
  const adverbs: string[] = []
  let negated = false
  let never = false
  for (; index < tokens.length; index++) {
    const token = at(tokens, index)
    if (token.p === 'AUX' || (modals.test(token.l) && token.p !== 'NOUN' && token.p !== 'PROPN')) aux.push(token)
    else if (/^(never|hardly|scarcely|barely|seldom|rarely)$/.test(token.l)) never = true
    else if (token.p === 'ADV' && !/^(when|where|why|how|as)$/.test(token.l)) adverbs.push(token.l)
    else if (token.l === 'not' || token.l === "n't") negated = true
    else break
  }
  if (never || aux.some((token) => token.l.startsWith("'"))) return undefined
  const main = at(tokens, index)
  const lastAux = aux.at(-1)
  const afterBe = lastAux !== undefined && /^(be|is|are|was|were|been|being|has|have|had)$/.test(lastAux.l)
  const afterModal =
    lastAux !== undefined && /^(will|would|can|could|may|might|must|shall|should|did|does|do)$/.test(lastAux.l)
  const verbal =
    afterModal &&
    /^(NOUN|ADJ)$/.test(main.p) &&
    /^[a-z]+$/.test(main.w) &&
    main.lemma === main.l &&
    /^(DET|PRON|ADP|NOUN|ADJ|PROPN)$/.test(at(tokens, index + 1).p)
  const isMain =
    verbal ||
    main.p === 'VERB' ||
    (afterBe && /^(ADJ|NOUN|PROPN)$/.test(main.p) && /^[a-z]+ed$/.test(main.w) && at(tokens, index + 1).p === 'ADP')
  if (!isMain) return groupWithoutVerb(tokens, from, index, aux, negated)
  if (
    main.w.includes('-') ||
    /^[A-Z]/.test(main.w) ||
    aux.filter((token) => /^(is|are|was|were|will|would|can|could|may|might|must|did|does|do)$/.test(token.l)).length >
      1
  )
    return undefined
  const forms = analyze(main.w, main.lemma.toLowerCase())
  if (!forms) return undefined
  const form = pickForm(forms.forms, lastAux?.l)
  if (!form) return undefined
  const passive = lastAux !== undefined && /^(be|is|are|was|were|been|being)$/.test(lastAux.l) && form === 'participle'
  return {
    a: from,
    b: index + 1,
    aux: aux.map(word),
    adverbs: adverbs.filter((adverb) => !bareAdverbs.has(adverb)),
    main,
    base: forms.base,
    form,
    passive,
    copula: false,
    negated,
  }
}

const word = (token: Token): string => token.l

/** Forms of be, have and do that are the verb themselves. */
function groupWithoutVerb(
  tokens: Token[],
  from: number,
  index: number,
  found: Token[],
  negated: boolean,
): Group | undefined {
  const main = found.at(-1)
  const aux = found.slice(0, -1)
  if (!main || !/^(is|are|was|were|has|have|had|do|does|did|be|been)$/.test(main.l)) return undefined
  if (aux.some((token) => /^(is|are|was|were)$/.test(token.l))) return undefined
  const copula = /^(is|are|was|were|be|been)$/.test(main.l)
  const base = copula ? 'be' : /^ha/.test(main.l) ? 'have' : 'do'
  return {
    a: from,
    b: negated ? index : tokens.indexOf(main, from) + 1,
    aux: aux.map(word),
    adverbs: [],
    main,
    base,
    form: finiteForm(main, base, aux.length),
    passive: false,
    copula,
    negated,
  }
}

function finiteForm(main: Token, base: string, auxiliaries: number): VerbForm {
  if (auxiliaries > 0) return /^been|had|done$/.test(main.l) ? 'participle' : 'base'
  if (/^(was|were|had|did)$/.test(main.l)) return 'past'
  return base === 'be' ? (main.l === 'is' ? 'third' : 'base') : main.l === base ? 'base' : 'third'
}

function pickForm(forms: VerbForm[], aux: string | undefined): VerbForm | undefined {
  const has = (form: VerbForm): VerbForm | undefined => (forms.includes(form) ? form : undefined)
  if (aux === undefined)
    return has('past') && !forms.includes('base') ? 'past' : (has('third') ?? has('base') ?? has('past'))
  if (/^(has|have|had)$/.test(aux)) return has('participle')
  if (/^(be|is|are|was|were|been|being)$/.test(aux)) return has('participle') ?? has('gerund')
  return has('base')
}

const boundary = (token: Token): boolean => /^[,;:.!?"()\u2014\u2013]$/.test(token.w) || token.p === 'END'

function toBoundary(tokens: Token[], from: number): number {
  let index = from
  while (!boundary(at(tokens, index))) index++
  return index
}

/** Comma lists inside a free stretch ("to a, b, and c") are followed to their end. */
function stretchEnd(tokens: Token[], from: number): number {
  const end = toBoundary(tokens, from)
  if (at(tokens, end).w !== ',') return end
  const phrase = phraseAt(tokens, lastPhraseStart(tokens, from, end))
  return phrase && phrase.b > end ? toBoundary(tokens, phrase.b) : end
}

function lastPhraseStart(tokens: Token[], from: number, end: number): number {
  let start = end - 1
  while (start > from && /^(NOUN|PROPN|ADJ|NUM|DET)$/.test(at(tokens, start - 1).p)) start--
  return start
}

export function prepositionAt(tokens: Token[], index: number): { word: string; length: number } | undefined {
  const token = at(tokens, index)
  const two = compound.get(`${token.l} ${at(tokens, index + 1).l}`)
  if (two?.includes(' ')) return { word: two, length: 2 }
  if (
    token.p === 'ADP' ||
    (token.p === 'SCONJ' && /^(after|before|since|until|like|than)$/.test(token.l)) ||
    (/^(during|within|throughout|despite|through|between|among|against|under|over|into|by|by|as|to)$/.test(token.l) &&
      token.p !== 'VERB')
  ) {
    return { word: token.l, length: 1 }
  }
  return undefined
}

/** One element of a predicate at index, or undefined. */
function elementAt(tokens: Token[], index: number, comma: boolean, before: Element | undefined): Element | undefined {
  const token = at(tokens, index)
  const next = at(tokens, index + 1)
  const make = (type: Element['type'], b: number, word = token.l, phrase?: Phrase): Element => ({
    type,
    a: index,
    b,
    word,
    comma,
    ...(phrase ? { phrase } : {}),
  })
  if (
    token.l === 'to' &&
    (next.p === 'VERB' || next.p === 'AUX' || (next.p === 'ADV' && at(tokens, index + 2).p === 'VERB'))
  )
    return make('inf', stretchEnd(tokens, index + 1), 'to')
  if (token.l === 'in' && next.l === 'order') return make('inf', stretchEnd(tokens, index + 1), 'in order to')
  if (token.l === 'so' && next.l === 'that') return make('sub', stretchEnd(tokens, index + 2), 'so that')
  const preposition = prepositionAt(tokens, index)
  if (preposition && preposition.word !== 'that') {
    const start = index + preposition.length
    if (/^(which|whom|whose|what)$/.test(at(tokens, start).l)) return make('rel', stretchEnd(tokens, start))
    if (at(tokens, start).p === 'VERB' && at(tokens, start).l.endsWith('ing') && at(tokens, start + 1).p !== 'NOUN')
      return make('ger', stretchEnd(tokens, start), preposition.word)
    const phrase = phraseAt(tokens, start)
    const and = phrase && at(tokens, phrase.b).l === 'and' ? phraseAt(tokens, phrase.b + 1) : undefined
    const after = phrase ? at(tokens, and?.b ?? phrase.b) : undefined
    if (phrase && idioms.test(textOf(tokens, index, phrase.b).toLowerCase())) return make('adv', phrase.b)
    if (phrase && !(joiners.test(token.l) && after && (after.p === 'AUX' || after.p === 'VERB')))
      return make('pp', phrase.b, preposition.word, phrase)
  }
  if (token.p === 'SCONJ' || joiners.test(token.l)) {
    const end = stretchEnd(tokens, index + 1)
    if (
      !tokens.slice(index + 1, end).some((item) => item.p === 'VERB' || item.p === 'AUX') ||
      (/^(VERB|AUX)$/.test(at(tokens, end - 1).p) && at(tokens, end).w === ',' && end - index < 4)
    )
      return undefined
    if (token.l === 'that') return make(before && before.type !== 'adv' ? 'rel' : 'that', end)
    if (joiners.test(token.l) && !(token.l === 'as' && next.p === 'ADJ')) return make('sub', end)
  }
  if (relatives.test(token.l) && before) return make('rel', stretchEnd(tokens, index + 1))
  const phrase = phraseAt(tokens, index)
  if (phrase) return make('np', phrase.b, '', phrase)
  if (token.p === 'PRON' && /^(him|her|them|it|us|himself|herself|itself|themselves|each)$/.test(token.l))
    return make('adv', index + 1, token.l)
  if (token.p === 'ADV' || (token.p === 'ADP' && !preposition) || (token.p === 'PART' && token.l !== "'s"))
    return make('adv', index + 1)
  if (preposition && /^(up|out|off|down|away|back|over|in|on|through|around)$/.test(token.l))
    return make('adv', index + 1)
  if (preposition && /^(upon|for|with|about|to|at|of|after)$/.test(token.l) && /^(ADP|PART|PUNCT|END)$/.test(next.p))
    return make('adv', index + 1)
  if (token.p === 'ADJ') return make('adj', adjectiveEnd(tokens, index))
  if (token.p === 'VERB' && before && /(ing|ed|en|wn|ght|ade)$/.test(token.l))
    return make('part', stretchEnd(tokens, index))
  return undefined
}

function adjectiveEnd(tokens: Token[], from: number): number {
  let index = from + 1
  while (at(tokens, index).p === 'ADJ' || (at(tokens, index).p === 'CCONJ' && at(tokens, index + 1).p === 'ADJ'))
    index++
  return index
}

export type Parsed = { elements: Element[]; end: number; good: boolean }

/** Elements from index on; stops where a new clause or verb begins. good: nothing that matters was left unread. */
export function elementsAt(tokens: Token[], from: number): Parsed {
  const elements: Element[] = []
  let index = from
  let comma = false
  for (;;) {
    const token = at(tokens, index)
    if (token.p === 'END' || /^[.;!?]$/.test(token.w)) return { elements, end: index, good: true }
    if (/^[:\u2014\u2013]$/.test(token.w)) return { elements, end: tokens.length, good: elements.length > 0 }
    if (token.w === ',') {
      comma = true
      index++
      continue
    }
    if (token.p === 'CCONJ') return { elements, end: index, good: comma || groupAt(tokens, index + 1) !== undefined }
    if (elements.length > 0 && /^(AUX)$/.test(token.p)) return { elements, end: index, good: false }
    if (comma && /^(which|who|whose|where)$/.test(token.l)) return { elements, end: index, good: true }
    const element = elementAt(tokens, index, comma, elements.at(-1))
    if (!element || element.b <= index) return { elements, end: index, good: comma }
    if (comma && element.type === 'np') return { elements, end: index, good: true }
    elements.push(element)
    index = element.b
    comma = false
    if (elements.length > 12) return { elements, end: index, good: false }
  }
}
