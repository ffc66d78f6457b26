import type { Clause, Element } from './clauses.ts'
import { at, type Kind, kindOf, type Phrase, textOf } from './phrases.ts'
import type { Item } from './synonyms.ts'
import { keepsCapital, type Token } from './tokens.ts'
import { thirdOf } from './verbs.ts'

export type Random = () => number
export type Role = 'time' | 'place' | 'agent' | 'reason' | 'means' | 'purpose' | 'duration' | 'object' | 'other'
export type Part = Element & { role: Role; kind: Kind }
/** A clause ready to be asked about: its subject in words, parts with roles. */
export type Ready = {
  clause: Clause
  tokens: Token[]
  subject: Item[]
  subjectText: string
  subjectKind: Kind
  subjectPlural: boolean
  resolved: boolean
  parts: Part[]
  front: Part[]
  past: boolean
}

export const literal = (text: string, p = 'X'): Item[] =>
  text
    .split(' ')
    .filter(Boolean)
    .map((w) => ({ w, space: true, p, lemma: w }))
export const items = (tokens: Token[], a: number, b: number): Item[] =>
  tokens.slice(a, b).map((token, index) => ({
    w: a === 0 && index === 0 ? lowerFirst(token) : token.w,
    space: index === 0 || token.space,
    p: token.p,
    lemma: token.lemma.toLowerCase(),
  }))
export const lowerFirst = (token: Token): string =>
  token.p === 'PROPN' ||
  keepsCapital(token) ||
  token.w === 'I' ||
  /^[A-Z]{2}/.test(token.w) ||
  (token.p === 'ADJ' && /^[A-Z][a-z]+(an|ish|ese|ench)$/.test(token.w)) ||
  /^(French|Dutch|Greek|Jewish|Muslim|Christian|Roman)/.test(token.w)
    ? token.w
    : token.w.charAt(0).toLowerCase() + token.w.slice(1)
export const join = (list: Item[]): string =>
  list.map((item, index) => (index > 0 && item.space ? ` ${item.w}` : item.w)).join('')

const timeKinds = new Set<Kind>(['year', 'date', 'month', 'decade', 'century', 'time'])
const placeKinds = new Set<Kind>(['country', 'state', 'city', 'continent', 'place'])
const placeWords = /^(in|at|near|on|from|to|throughout|across|along|outside|inside|within|around|into|off)$/
const purposeVerbs =
  /^(use|build|create|develop|send|form|establish|design|employ|introduce|pass|found|dispatch|organize|adopt|travel|move|come|return|meet|work|join|write|invent|install|add|go|gather|construct|hire|launch|implement|utilize|sail|modify|apply|perform|conduct|issue|raise|stop|visit|study|arrive|rush|pay|combine|pursue|deploy|run|select|change|collect)$/

const control =
  /^(force|persuade|require|allow|view|regard|consider|urge|ask|enable|encourage|convince|compel|cause|lead|help|get|tell|order|expect|want|permit|place|put|see|turn|divide|describe|define|treat|inspire|motivate|prompt|lobby|instruct|invite|train|teach|use|prevent|like|need|begin|start|continue|try|attempt|seek|refuse|agree|decide|tend|appear|seem|hope|plan|prefer|fail)$/
const motion =
  /^(go|come|move|travel|return|send|sail|flee|migrate|bring|take|march|fly|drive|walk|run|ride|ship|transport|carry|emigrate|immigrate|escape|spread|relocate|journey|head|export|import|deport|exile|invite|rush|retreat|transfer|deliver)$/

function partOf(
  tokens: Token[],
  element: Element,
  persons: Set<string>,
  clause: Clause,
  before: Element | undefined,
): Part {
  const kind = element.phrase ? kindOf(tokens, element.phrase, persons) : 'thing'
  return { ...element, kind, role: roleOf(tokens, element, kind, clause, before) }
}

function roleOf(tokens: Token[], element: Element, kind: Kind, clause: Clause, before: Element | undefined): Role {
  if (element.type === 'np')
    return timeKinds.has(kind) && before ? 'time' : timeKinds.has(kind) || kind === 'duration' ? 'other' : 'object'
  if (element.type === 'sub') return /^(because|so that)$/.test(element.word) ? 'reason' : 'other'
  if (element.type === 'ger') return element.word === 'by' ? 'means' : 'other'
  if (element.type === 'inf') {
    if (element.word === 'in order to') return 'purpose'
    return before && (before.type === 'np' || before.type === 'pp') && purposeVerbs.test(clause.verb.base)
      ? 'purpose'
      : 'other'
  }
  if (element.type !== 'pp') return 'other'
  if (/^(because of|due to|thanks to)$/.test(element.word)) return 'reason'
  if (kind === 'duration' && !/\btimes?$/.test(at(tokens, element.b - 1).l) && /^(for|over)$/.test(element.word))
    return 'duration'
  if (
    timeKinds.has(kind) &&
    /^(in|on|during|by|since|until|after|before|from|at|around|throughout)$/.test(element.word)
  )
    return 'time'
  if (element.word === 'by' && clause.verb.passive) return kind === 'duration' || kind === 'number' ? 'other' : 'agent'
  if (element.word === 'through' && !placeKinds.has(kind)) return 'means'
  if (/^(to|from|into)$/.test(element.word) && !motion.test(clause.verb.base)) return 'other'
  if (placeWords.test(element.word) && placeKinds.has(kind)) return 'place'
  if (
    /^(in|at|near)$/.test(element.word) &&
    element.phrase &&
    at(tokens, element.phrase.head).p === 'PROPN' &&
    kind === 'thing'
  )
    return 'place'
  return 'other'
}

export type Resolved = { items: Item[]; text: string; kind: Kind; plural: boolean }

const twoObjects =
  /^(give|offer|grant|pay|teach|tell|send|show|call|name|elect|consider|make|deem|award|bring|lend|sell|declare|ask|cost|deny|find|hand|keep|label|leave|owe|promise|term|dub|appoint|allow|win|save|earn|buy|lose|provide|assign)$/
const withAdjective =
  /^(be|become|seem|appear|remain|feel|look|make|consider|find|get|grow|turn|prove|keep|stay|deem|run|go|render|leave|sound|taste|declare|hold|become|come|stand|die|fall)$/

/** Signs that a predicate was not understood. */
function isBroken(clause: Clause, parts: Part[]): boolean {
  const { base } = clause.verb
  if (
    /^(call|name|term|know|dub)$/.test(base) &&
    !clause.verb.passive &&
    clause.verb.aux.length === 0 &&
    parts[1]?.type !== 'np'
  )
    return true
  return parts.some((part, index) => {
    const next = parts[index + 1]
    if (part.comma) return false
    if (part.type === 'np' && next?.type === 'np' && !next.comma && next.role === 'object' && !twoObjects.test(base))
      return true
    if (part.type === 'adj' && !withAdjective.test(base) && !clause.verb.passive && part.word !== 'due') return true
    return part.type === 'adv' && /^(why|how|whether|what|when|where|there)$/.test(part.word)
  })
}

export function prepare(clause: Clause, persons: Set<string>, resolved: Resolved | undefined): Ready | undefined {
  const { tokens, subject } = clause
  if (clause.pronoun && !resolved) return undefined
  const parts = clause.elements.map((element, index) =>
    partOf(tokens, element, persons, clause, clause.elements[index - 1]),
  )
  if (isBroken(clause, parts)) return undefined
  const front = clause.front.map((element) => partOf(tokens, element, persons, clause, undefined))
  const past =
    clause.verb.aux.length > 0
      ? /^(was|were|had|did|could|would)$/.test(clause.verb.aux[0] ?? '')
      : clause.verb.form === 'past'
  const own = resolved
    ? { ...resolved }
    : {
        items: items(tokens, subject.a, clause.subjectEnd),
        text: textOf(tokens, subject.a, clause.subjectEnd),
        kind: kindOf(tokens, subject, persons),
        plural: subject.plural,
      }
  const first = own.items[0]
  if (first && /^(this|these|those)$/.test(first.w) && own.items.length > 1) {
    own.items = [{ ...first, w: 'the' }, ...own.items.slice(1)]
    own.text = own.text.replace(/^\w+/, 'The')
  }
  const ownWords = tokens.slice(clause.verb.b, parts.at(-1)?.b ?? clause.verb.b)
  if (
    !own.plural &&
    /^(thing|name)$/.test(own.kind) &&
    ownWords.some((token) => /^(his|her|himself|herself)$/.test(token.l))
  )
    own.kind = 'person'
  return {
    clause,
    tokens,
    subject: own.items,
    subjectText: own.text,
    subjectKind: own.kind,
    subjectPlural: own.plural,
    resolved: resolved !== undefined,
    parts,
    front,
    past,
  }
}

export const partItems = (ready: Ready, part: { a: number; b: number }): Item[] => items(ready.tokens, part.a, part.b)

/** The parts a question keeps: what belongs to the verb always, others by chance. */
export function keep(ready: Ready, without: Part[], random: Random): Part[] {
  let essential = true
  let dropped = -1
  const wanted = (part: Part, index: number): boolean => {
    if (without.includes(part)) return false
    if (part.comma) essential = false
    if (!essential) return false
    if (part.type === 'adv' && /^(not|never|n't|only|no)$/.test(part.word)) return true
    if (
      index === 0 ||
      ready.parts.slice(0, index).every((item) => item.type === 'adv') ||
      (part.type !== 'adv' &&
        control.test(ready.clause.verb.base) &&
        (part.type === 'inf' || part.word === 'as' || part.word === 'into' || part.word === 'from'))
    )
      return true
    if (part.type === 'np' || part.type === 'adj' || part.type === 'rel') return true
    if (
      part.type === 'pp' &&
      /^(put|place|lay|set|keep|throw|send|turn|base|associate|attribute)$/.test(ready.clause.verb.base)
    )
      return true
    if (part.type === 'pp' && (part.role === 'other' || part.role === 'agent')) return random() < 0.8
    if (part.type === 'inf' || part.type === 'that' || part.type === 'part' || part.type === 'ger')
      return random() < 0.75
    return part.type === 'adv' ? random() < 0.6 : random() < 0.5
  }
  return ready.parts.filter((part, index) => {
    const attached =
      part.a === dropped &&
      (part.type === 'rel' ||
        part.type === 'part' ||
        part.type === 'inf' ||
        (part.type === 'pp' && part.role === 'other'))
    const kept = !attached && wanted(part, index)
    if (!kept && !without.includes(part)) dropped = part.b
    return kept
  })
}

/** wh + auxiliary + subject + verb + parts */
export function inverted(ready: Ready, wh: Item[], kept: Part[], tail: Item[] = []): Item[] {
  const { verb } = ready.clause
  const body = kept.flatMap((part) => partItems(ready, part))
  const adverbs = verb.adverbs.slice(0, 1).flatMap((adverb) => literal(adverb, 'ADV'))
  const not = verb.negated ? literal('not') : []
  if (verb.copula && verb.aux.length === 0)
    return [...wh, ...literal(agree(verb.main.l, ready)), ...ready.subject, ...not, ...body, ...tail]
  if (verb.aux.length === 0) {
    const support = verb.form === 'past' ? 'did' : ready.subjectPlural || verb.form === 'base' ? 'do' : 'does'
    return [
      ...wh,
      ...literal(support),
      ...ready.subject,
      ...not,
      ...adverbs,
      { w: verb.base, space: true, p: 'VERB', lemma: verb.base, form: 'base' },
      ...body,
      ...tail,
    ]
  }
  const main: Item = {
    w: verb.main.l,
    space: true,
    p: verb.base === 'be' || verb.base === 'have' ? 'X' : 'VERB',
    lemma: verb.base,
    form: verb.form,
  }
  return [
    ...wh,
    ...literal(verb.aux[0] ?? ''),
    ...ready.subject,
    ...not,
    ...literal(verb.aux.slice(1).join(' ')),
    ...adverbs,
    main,
    ...body,
    ...tail,
  ]
}

const agree = (form: string, ready: Ready): string =>
  ready.resolved && form === 'are' && !ready.subjectPlural ? 'is' : form

/** wh + verb + parts, the question for the subject */
export function forSubject(ready: Ready, wh: Item[], kept: Part[], plural: boolean): Item[] {
  const { verb } = ready.clause
  const aux = [...verb.aux]
  let main = verb.main.l
  const not = verb.negated ? literal('not') : []
  if (!plural) {
    if (aux.length > 0)
      aux[0] =
        ({ are: 'is', were: 'was', have: 'has', do: 'does' } as Record<string, string>)[aux[0] ?? ''] ?? aux[0] ?? ''
    else if (!verb.copula && verb.form === 'base') main = thirdOf(verb.base)
  }
  const adverbs = verb.adverbs.slice(0, 1).flatMap((adverb) => literal(adverb, 'ADV'))
  if (not.length > 0 && aux.length === 0 && !verb.copula) return []
  const mainItem: Item = {
    w: main,
    space: true,
    p: verb.copula || verb.base === 'have' ? 'X' : 'VERB',
    lemma: verb.base,
    form: main === verb.main.l ? verb.form : 'third',
  }
  const head =
    verb.copula && aux.length === 0
      ? [mainItem, ...not]
      : [...literal(aux.slice(0, 1).join(' ')), ...not, ...literal(aux.slice(1).join(' ')), ...adverbs, mainItem]
  return [...wh, ...head, ...kept.flatMap((part) => partItems(ready, part))]
}

/** The clause as a statement with one stretch exchanged (for clozes and answers in full sentences). */
export function statement(
  ready: Ready,
  kept: Part[],
  exchange?: { part: Part; by: Item[] } | { subject: Item[] },
): Item[] {
  const { verb } = ready.clause
  const subject = exchange && 'subject' in exchange ? exchange.subject : ready.subject
  const adverbs = verb.adverbs.slice(0, 1).flatMap((adverb) => literal(adverb, 'ADV'))
  const not = verb.negated ? literal('not') : []
  const words =
    verb.aux.length === 0
      ? verb.copula
        ? [...literal(verb.main.l), ...not]
        : [...adverbs, ...literal(verb.main.l)]
      : [
          ...literal(verb.aux[0] ?? ''),
          ...not,
          ...literal(verb.aux.slice(1).join(' ')),
          ...adverbs,
          ...literal(verb.main.l),
        ]
  const body = kept.flatMap((part) =>
    exchange && 'part' in exchange && exchange.part === part ? exchange.by : partItems(ready, part),
  )
  return [...subject, ...words, ...body]
}

export const phraseText = (ready: Ready, phrase: Phrase): string => textOf(ready.tokens, phrase.a, phrase.b)
