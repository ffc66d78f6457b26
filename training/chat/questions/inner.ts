import { forSubject, inverted, items, keep, literal, type Part, type Random, type Ready } from './build.ts'
import { personNouns } from './lexicon.ts'
import { at, type Phrase, textOf } from './phrases.ts'
import { pick, push, type Raw } from './raw.ts'
import type { Item } from './synonyms.ts'

/** Questions for what stands inside a noun phrase: numbers, modifiers, possessors. part undefined: in the subject. */
export function askInner(ready: Ready, part: Part | undefined, phrase: Phrase, random: Random, found: Raw[]): void {
  if (phrase.parts.length > 1 || ready.clause.verb.negated) return
  const { tokens } = ready
  const end = part ? part.b : ready.clause.subjectEnd
  const make = (wh: Item[], restFrom: number): Item[] => {
    const whole = [...wh, ...items(tokens, restFrom, end)]
    if (!part) return forSubject(ready, whole, keep(ready, [], random), phrase.plural)
    const kept = keep(ready, [part], random)
    const question = inverted(ready, whole, kept)
    if (part.type !== 'pp') return question
    return [
      ...literal(part.word.charAt(0).toUpperCase() + part.word.slice(1)),
      { ...(whole[0] as Item), w: (whole[0]?.w ?? '').toLowerCase() },
      ...question.slice(1),
    ]
  }
  if (ready.clause.verb.copula && part) return
  const start = part?.phrase?.a ?? phrase.a
  const kind = part?.kind ?? ready.subjectKind
  const number = numberSpan(ready, start, phrase.head)
  const object =
    !part ||
    (!part.comma &&
      part === ready.parts[0] &&
      (part.role === 'object' || (part.role === 'other' && part.type === 'pp' && part.word !== 'as')))
  if (part?.type === 'pp' && !/^(in|on|with|for|from|to|of|into|about|against|at)$/.test(part.word)) return
  if (!object || (ready.clause.verb.passive && part?.type === 'np')) return
  if (number && number.to <= phrase.head && (kind === 'count' || kind === 'people')) {
    push(found, {
      items: make(literal('How many'), number.to),
      answer: textOf(tokens, number.from, number.to),
      kind: 'how-many',
    })
  } else if (kind === 'percent' && at(tokens, phrase.head + 1).l === 'of') {
    push(found, {
      items: make(literal(pick(random, ['What percentage', 'What percent'])), phrase.head + 1),
      answer: textOf(tokens, start, phrase.head + 1),
      kind: 'percent',
    })
  } else if (kind === 'money' && part?.type === 'np') {
    push(found, {
      items: inverted(ready, literal(pick(random, ['How much', 'How much money'])), keep(ready, [part], random)),
      answer: textOf(tokens, start, phrase.b),
      kind: 'how-much',
    })
  } else if (kind === 'measure' && part?.type === 'np') {
    push(found, {
      items: inverted(ready, literal('How much'), keep(ready, [part], random)),
      answer: textOf(tokens, start, phrase.b),
      kind: 'how-much',
    })
  } else askModifier(ready, phrase, start, make, random, found)
}

function numberSpan(ready: Ready, from: number, to: number): { from: number; to: number } | undefined {
  for (let index = from; index < to; index++) {
    if (at(ready.tokens, index).p !== 'NUM') continue
    let end = index + 1
    while (end < to && at(ready.tokens, end).p === 'NUM') end++
    return index - from <= 1 ? { from: index, to: end } : undefined
  }
  return undefined
}

const dull =
  /^(many|other|new|first|second|last|several|same|own|such|certain|different|more|most|great|good|few|various|only|next|early|late|large|small|major|little|important|similar|further|numerous|main|whole|entire|additional|single|long|old|high|low|big|much|former|able|likely|particular|specific|possible|least|best|following|third|another)$/

function askModifier(
  ready: Ready,
  phrase: Phrase,
  start: number,
  make: (wh: Item[], from: number) => Item[],
  random: Random,
  found: Raw[],
): void {
  const { tokens } = ready
  const from = /^(a|an|the|some)$/.test(at(tokens, start).l) ? start + 1 : start
  const head = at(tokens, phrase.head)
  const possessor = tokens.slice(start, phrase.head).findIndex((token) => token.l === "'s" || token.l === "'")
  if (possessor > 0) {
    if (at(tokens, start + possessor - 1).p !== 'PROPN' || ready.tokens[start]?.p !== 'PROPN') return
    push(found, {
      items: make(literal('Whose'), start + possessor + 1),
      answer: textOf(tokens, start, start + possessor),
      kind: 'whose',
    })
    return
  }
  const modifiers = tokens.slice(from, phrase.head)
  if (
    head.p !== 'NOUN' ||
    modifiers.length === 0 ||
    modifiers.length > 2 ||
    (personNouns.has(head.lemma) && random() < 0.5)
  )
    return
  if (
    !modifiers.every(
      (token) =>
        /^(ADJ|NOUN)$/.test(token.p) &&
        !dull.test(token.l) &&
        !(token.p === 'ADJ' && /(er|est)$/.test(token.l)) &&
        !/^\d/.test(token.w),
    ) ||
    (from > start && at(tokens, start).l === 'the' && random() < 0.6)
  )
    return
  if (
    /^(way|part|role|number|time|time|thing|place|series|set|amount|sense|variety|form|kind|type|group)s?$/.test(head.l)
  )
    return
  const wh = pick(random, ['What kind of', 'What kind of', 'What type of', 'What sort of'])
  push(found, { items: make(literal(wh), phrase.head), answer: textOf(tokens, from, phrase.head), kind: 'kind-of' })
}
