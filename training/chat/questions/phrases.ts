import {
  cities,
  continents,
  countries,
  daysOfWeek,
  firstNames,
  months,
  nameTypes,
  personNouns,
  placeNouns,
  states,
  timeNouns,
  titles,
  unitNouns,
} from './lexicon.ts'
import type { Token } from './tokens.ts'

/** A noun phrase tokens[a..b) with its head; core is the end without what follows after the head ("of ..."). */
export type Phrase = { a: number; b: number; head: number; core: number; parts: [number, number][]; plural: boolean }
export type Kind =
  | 'person'
  | 'people'
  | 'country'
  | 'state'
  | 'city'
  | 'continent'
  | 'place'
  | 'year'
  | 'date'
  | 'month'
  | 'decade'
  | 'century'
  | 'time'
  | 'duration'
  | 'count'
  | 'percent'
  | 'money'
  | 'measure'
  | 'named'
  | 'thing'
  | 'number'
  | 'name'

const nominal = new Set(['NOUN', 'PROPN'])
export const at = (tokens: Token[], index: number): Token =>
  tokens[index] ?? { w: '', l: '', p: 'END', lemma: '', space: false }
const starts =
  /^(a|an|the|some|any|each|every|no|all|both|most|many|several|few|more|much|another|this|that|these|those|its|his|her|their|our|my|your|such|half|one|various|numerous)$/

export function simplePhrase(tokens: Token[], from: number): Phrase | undefined {
  let index = from
  let head = -1
  while (index < tokens.length) {
    const token = at(tokens, index)
    const next = at(tokens, index + 1)
    if (
      token.p === 'PROPN' &&
      head === index - 1 &&
      head >= from &&
      timeNouns.has(at(tokens, head).l) &&
      at(tokens, head).p === 'NOUN'
    )
      break
    if (nominal.has(token.p)) head = index
    else if (token.p === 'NUM') head = index
    else if (token.p === 'DET' || (token.p === 'PRON' && /^(its|his|her|their|our|my|your)$/.test(token.l))) {
      if (head >= 0 || !starts.test(token.l)) break
      if (/^(this|that|these|those)$/.test(token.l) && !/^(NOUN|ADJ|NUM|PROPN)$/.test(next.p)) return undefined
    } else if (token.p === 'ADJ') {
      if (head >= 0 && !/^(NOUN|PROPN|ADJ)$/.test(next.p)) break
      if (head >= 0 && at(tokens, head).p === 'NOUN') break
      if (
        /^[A-Z]/.test(token.w) &&
        at(tokens, index - 1).l === 'the' &&
        index > from &&
        !/^(NOUN|PROPN|ADJ|NUM)$/.test(next.p)
      )
        head = index
    } else if (token.p === 'PART' && /^'s?$/.test(token.l)) {
      if (head !== index - 1 || !/^(NOUN|PROPN|ADJ|NUM|VERB)$/.test(next.p)) break
      head = -1
    } else if (token.p === 'VERB') {
      const before = at(tokens, index - 1)
      const modifies =
        head < 0 &&
        index > from &&
        /^(DET|ADJ|PRON|PART|NUM|ADV)$/.test(before.p) &&
        /(ed|ing|en|wn|ght)$/.test(token.l)
      if (!modifies || !/^(NOUN|ADJ|PROPN)$/.test(next.p)) break
    } else if (token.p === 'ADV') {
      if (
        head >= 0 ||
        !/^(ADJ|VERB|NUM)$/.test(next.p) ||
        !/(ly|most|more|very|about|over|nearly|almost|highly|well|too|less)$/.test(token.l)
      )
        break
    } else if (token.w === ',' && months.has(at(tokens, index - 2).w) && /^\d{4}$/.test(next.w)) {
      head = index
    } else if (token.p === 'CCONJ' || token.w === ',') {
      if (head >= 0 || at(tokens, index - 1).p !== 'ADJ' || next.p !== 'ADJ' || index === from) break
    } else break
    index++
  }
  if (head < 0) return undefined
  const end = head + 1
  return { a: from, b: end, head, core: end, parts: [[from, end]], plural: isPlural(at(tokens, head)) }
}

export function isPlural(token: Token): boolean {
  if (token.p === 'PROPN' && token.l.endsWith('s') && personNouns.has(token.l.slice(0, -1))) return true
  if (token.p === 'PROPN')
    return (
      /^(.*(States|Islands|Indians|Americans|Europeans|Africans|[a-z](ans|ists|ers|ors)))$/.test(token.w) &&
      !/^(United|States)$/.test(token.w)
    )
  return (
    /^(people|men|women|children|police|feet|teeth|mice|data|bacteria|criteria|phenomena)$/.test(token.l) ||
    (token.l.endsWith('s') && token.lemma !== token.l && !/(ss|us|is)$/.test(token.l)) ||
    /[a-z](ists|ers|ors|ians)$/.test(token.l)
  )
}

/** noun phrase with "of ..." and, where asked, coordination. */
export function phraseAt(tokens: Token[], from: number, coordinate = true, subject = false): Phrase | undefined {
  const first = withOf(tokens, from, subject)
  if (!first || !coordinate) return first
  const parts: [number, number][] = [[first.a, first.b]]
  let end = first.b
  let closed = false
  while (!closed) {
    let index = end
    const comma = at(tokens, index).w === ','
    if (comma) index++
    const joined = /^(and|or)$/.test(at(tokens, index).l)
    if (joined) index++
    if (!comma && !joined) break
    const next = withOf(tokens, index, subject)
    if (!next || (!subject && isFiniteVerb(at(tokens, next.b)))) break
    if (comma && joined && parts.length === 1) break
    if (comma && !joined && !listGoesOn(tokens, next.b)) break
    parts.push([next.a, next.b])
    end = next.b
    closed = joined
  }
  if (parts.length > 1 && !closed) return first
  return { ...first, b: end, parts, plural: parts.length > 1 ? true : first.plural }
}

const isFiniteVerb = (token: Token): boolean => token.p === 'AUX' || (token.p === 'VERB' && !/ing$/.test(token.l))

function listGoesOn(tokens: Token[], from: number): boolean {
  for (let index = from, steps = 0; steps < 24 && index < tokens.length; index++, steps++) {
    const token = at(tokens, index)
    if (/^(and|or)$/.test(token.l)) return at(tokens, index - 1).w === ',' || steps < 6
    if (token.p === 'VERB' || token.p === 'AUX' || token.p === 'PRON' || /^[.;:]$/.test(token.w)) return false
  }
  return false
}

function withOf(tokens: Token[], from: number, subject: boolean): Phrase | undefined {
  const phrase = simplePhrase(tokens, from)
  if (!phrase) return undefined
  let end = phrase.b
  while (at(tokens, end).l === 'of') {
    const inner = simplePhrase(tokens, end + 1)
    if (!inner) break
    end = inner.b
    if (at(tokens, end).l === 'and' && inner.b - inner.a <= 3) {
      const second = simplePhrase(tokens, end + 1)
      if (second && second.b - second.a <= 2 && (subject || !isFiniteVerb(at(tokens, second.b)))) end = second.b
    }
  }
  const quantity =
    /^(number|majority|variety|series|group|percent|percentage|lot|couple|pair|handful|dozen|set|range|types|kinds)$/.test(
      at(tokens, phrase.head).l,
    )
  const plural =
    quantity && end > phrase.b && /^(a|most|some|many|half)$/.test(at(tokens, from).l)
      ? isPlural(at(tokens, end - 1))
      : phrase.plural
  return { ...phrase, b: end, parts: [[from, end]], plural }
}

export const textOf = (tokens: Token[], a: number, b: number): string => {
  let text = ''
  for (let index = a; index < b; index++) {
    const token = at(tokens, index)
    text += index > a && token.space ? ` ${token.w}` : token.w
  }
  return text
}

const years = /^(1[0-9]\d\d|20\d\d)$/

/** What the phrase means, as far as a question word depends on it. */
export function kindOf(tokens: Token[], phrase: Phrase, persons: Set<string>): Kind {
  const head = at(tokens, phrase.head)
  const bare = textOf(tokens, phrase.a, phrase.core).replace(/^(the|a|an) /i, '')
  const first = at(tokens, phrase.a)
  if (phrase.parts.length === 1) {
    const time = timeKind(tokens, phrase, head)
    if (time) return time
    if (head.l === 'percent' || head.w === '%') return 'percent'
    if (/^[$€£]/.test(bare) || head.l === 'dollars' || /^[$€£]$/.test(first.w)) return 'money'
    if (countries.has(bare)) return 'country'
    if (states.has(bare)) return 'state'
    if (cities.has(bare)) return 'city'
    if (continents.has(bare)) return 'continent'
  }
  if (isPersonName(tokens, phrase, persons)) return phrase.parts.length > 1 ? 'people' : 'person'
  if (head.p === 'NUM') return 'number'
  if (
    /^(thousands|hundreds|millions|dozens|group|groups|number|majority|members|generation|crowd|crowds|one)$/.test(
      head.l,
    ) &&
    phrase.b > phrase.core + 1 &&
    personNouns.has(at(tokens, phrase.b - 1).lemma)
  )
    return 'people'
  if (
    personNouns.has(head.lemma.toLowerCase()) ||
    personNouns.has(head.l.replace(/s$/, '')) ||
    /(ologists?|ationists?|alists?|icians?|ioners?|[^aio]men|women|(maker|holder|owner|worker|keeper|leader|seeker|lord)s?)$/.test(
      head.l,
    )
  )
    return phrase.plural ? 'people' : 'person'
  if (/(ish|ese|ench|utch)$/.test(head.w) && /^[A-Z]/.test(head.w) && first.l === 'the' && phrase.head === phrase.a + 1)
    return 'people'
  if (head.p === 'PROPN' && /(ans|ists|ers|ards)$/.test(head.w) && phrase.plural) return 'people'
  const counted = tokens.slice(phrase.a, phrase.head).find((token) => token.p === 'NUM' && !years.test(token.w))
  if (counted && unitNouns.has(head.lemma)) return 'measure'
  if (head.p === 'PROPN' && nameTypes.has(head.l) && phrase.head > phrase.a) return 'named'
  if (counted && phrase.plural) return 'count'
  if (placeNouns.has(head.lemma)) return 'place'
  return head.p === 'PROPN' && first.p === 'PROPN' && !/^[A-Z]{2,}/.test(head.w) && !nameTypes.has(head.l)
    ? 'name'
    : 'thing'
}

function timeKind(tokens: Token[], phrase: Phrase, head: Token): Kind | undefined {
  const wide = /^(end|beginning|part|half|middle|start|summer|winter|spring|fall|autumn|years|days|decades?)$/.test(
    head.l,
  )
  const text = textOf(tokens, phrase.a, wide ? phrase.b : phrase.core)
  if (years.test(text)) return 'year'
  if (/\b1?\d\d0s\b/.test(text)) return 'decade'
  if (/\bcentur(y|ies)\b/.test(text) && !/^(\w+|\d+) centuries$/.test(text)) return 'century'
  const hasMonth = tokens.slice(phrase.a, phrase.b).some((token) => months.has(token.w))
  if (hasMonth && /\d/.test(text)) return /\b\d{1,2}(st|nd|rd|th)?\b/.test(text) ? 'date' : 'month'
  if (hasMonth && phrase.b - phrase.a <= 2 && text !== 'May') return 'month'
  if (daysOfWeek.has(head.w)) return 'date'
  if (timeNouns.has(head.l)) {
    return tokens
      .slice(phrase.a, phrase.head)
      .some((token) => token.p === 'NUM' || /^(several|many|few)$/.test(token.l))
      ? 'duration'
      : 'time'
  }
  return undefined
}

function isPersonName(tokens: Token[], phrase: Phrase, persons: Set<string>): boolean {
  const [a, b] = phrase.parts[0] as [number, number]
  const first = at(tokens, a)
  const last = at(tokens, Math.min(phrase.head, b - 1))
  if (last.p !== 'PROPN' || nameTypes.has(last.l)) return false
  if (titles.has(first.w) && phrase.head > a) return true
  for (let index = a; index < phrase.head; index++) {
    const token = at(tokens, index)
    if (firstNames.has(token.w) && at(tokens, index + 1).p === 'PROPN') return true
    if (token.p === 'NOUN' && personNouns.has(token.l) && at(tokens, index + 1).p === 'PROPN') return true
  }
  return phrase.head - a <= 2 && persons.has(last.w) && !/^(the|a|an)$/i.test(first.w)
}

/** Family names that follow a first name or a title somewhere in the document. */
export function findPersons(sentences: { tokens: Token[] }[]): Set<string> {
  const found = new Set<string>()
  for (const { tokens } of sentences) {
    for (const [index, token] of tokens.entries()) {
      const next = at(tokens, index + 1)
      if (!firstNames.has(token.w) && !titles.has(token.w)) continue
      const end = /^[A-Z]\.?$/.test(next.w) ? index + 2 : index + 1
      const last = at(tokens, end)
      const after = at(tokens, end + 1)
      if (last.p === 'PROPN' && /^[A-Z][a-z]+/.test(last.w) && !nameTypes.has(last.l) && after.p !== 'PROPN')
        found.add(last.w)
      if (after.p === 'PROPN' && /^[A-Z][a-z]+$/.test(after.w) && !nameTypes.has(after.l) && titles.has(token.w))
        found.add(after.w)
    }
  }
  for (const set of [countries, states, cities, continents]) for (const name of set) found.delete(name)
  return found
}
