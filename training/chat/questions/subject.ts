import {
  forSubject,
  inverted,
  items,
  join,
  keep,
  literal,
  type Part,
  partItems,
  type Random,
  type Ready,
  statement,
} from './build.ts'
import { askInner } from './inner.ts'
import { humanVerbs } from './lexicon.ts'
import { byDeed } from './nominal.ts'
import { at, textOf } from './phrases.ts'
import { dullAnswer, orgs, pick, push, type Raw, saying, tail, whFor, words } from './raw.ts'
import type { Item } from './synonyms.ts'
import { participleOf } from './verbs.ts'

export function askSubject(ready: Ready, random: Random, found: Raw[]): void {
  const { clause, tokens } = ready
  if (clause.pronoun) return
  const { subject } = clause
  const answer = textOf(tokens, subject.a, clause.subjectEnd)
  if (
    words(answer) > 10 ||
    /^(this|that|these|those|such|his|her|its|their|our|my|your|some|many|most|all|each|both|one|another|no|any)\b/i.test(
      answer,
    )
  )
    return
  if (dullAnswer.test(answer) || clause.verb.base === 'include') return
  const kept = keep(ready, [], random)
  const copula = clause.verb.copula
  const complement = kept[0]
  if (kept.length === 0 && !copula && clause.verb.aux.length < 2) return
  const described = complement?.type === 'adj' && kept.length > 1 && kept[1]?.type !== 'that' && kept[1]?.type !== 'adv'
  if (
    copula &&
    !described &&
    (complement?.type !== 'np' || !/^(the|[A-Z])/.test(textOf(tokens, complement.a, complement.a + 1)))
  ) {
    if (complement?.type === 'np') askDefinition(ready, complement, answer, random, found)
    return
  }
  if (
    ready.subjectKind === 'name' ||
    (ready.subjectKind === 'thing' &&
      at(tokens, subject.head).p === 'PROPN' &&
      !orgs.test(at(tokens, subject.head).l) &&
      humanVerbs.has(clause.verb.base))
  ) {
    if (!humanVerbs.has(clause.verb.base) || clause.verb.passive) return
    ready.subjectKind = 'person'
  }
  const { wh, plural } = whFor(ready, subject, ready.subjectKind, random, true)
  const asked = join(wh)
  const type =
    /^(?:Which|What) (\w+)$/.exec(asked)?.[1] ??
    (asked === 'Who' && ready.subjectKind === 'person' && at(tokens, subject.a).p === 'PROPN' ? 'person' : undefined)
  const named =
    type && !plural && !copula && random() < 0.12
      ? literal(`What ${ready.past ? 'was' : 'is'} the name of the ${type} ${type === 'person' ? 'who' : 'that'}`)
      : wh
  const list = [...forSubject(ready, named, kept, plural), ...tail(ready, random)]
  const full = statement(ready, kept)
  push(found, {
    items: list,
    answer,
    kind: ready.subjectKind === 'person' || ready.subjectKind === 'people' ? 'who-subject' : 'what-subject',
    full,
  })
  push(found, { items: statement(ready, kept, { subject: literal('______') }), answer, kind: 'cloze', plain: true })
  askCause(ready, answer, random, found)
  askInner(ready, undefined, subject, random, found)
  askPassive(ready, answer, random, found)
  const deed = byDeed(ready, answer, random)
  if (deed) push(found, deed)
}

function askDefinition(ready: Ready, complement: Part, answer: string, random: Random, found: Raw[]): void {
  const { tokens, clause } = ready
  const rest = ready.parts.filter((part) => part !== complement && !part.comma)
  const body = [complement, ...rest].flatMap((part) => partItems(ready, part))
  if (
    ready.past ||
    !/^(a|an)$/i.test(at(tokens, complement.a).l) ||
    rest.length === 0 ||
    clause.verb.negated ||
    /^the\b/i.test(answer)
  )
    return
  const wh = pick(random, [
    'What is the term for',
    'What is the name for',
    'What do we call',
    'What do you call',
    'Which term describes',
    'What word is used for',
  ])
  if (ready.subjectKind === 'thing')
    push(found, {
      items: [...literal(wh), ...body],
      answer,
      kind: 'term',
      full: statement(ready, [complement, ...rest]),
    })
  else if (ready.subjectKind === 'person')
    push(found, { items: [...literal('Who is'), ...body], answer, kind: 'who-subject' })
}

function askCause(ready: Ready, answer: string, random: Random, found: Raw[]): void {
  const { verb } = ready.clause
  const first = ready.parts[0]
  if (!first?.phrase || verb.aux.length > 0 || verb.copula) return
  const leads = verb.base === 'lead' && first.word === 'to'
  const results = verb.base === 'result' && first.word === 'in'
  const causes = /^(cause|trigger|spark)$/.test(verb.base) && first.type === 'np'
  if (!leads && !results && !causes) return
  const effect = items(ready.tokens, first.phrase.a, first.phrase.b)
  const is = verb.form === 'past' ? 'was' : 'is'
  const before = pick(random, [
    'What caused',
    'What brought about',
    'What was responsible for',
    `What ${is} the cause of`,
    'What resulted in',
  ])
  push(found, { items: [...literal(before), ...effect], answer, kind: 'cause' })
  const after = pick(random, [
    `What ${is} the result of`,
    `What ${is} the effect of`,
    `What ${is} a consequence of`,
    'What came of',
  ])
  push(found, {
    items: [...literal(after), ...ready.subject],
    answer: textOf(ready.tokens, first.phrase.a, first.phrase.b),
    kind: 'cause',
  })
}

/** "Who was X founded by?" for "Y founded X". */
function askPassive(ready: Ready, answer: string, random: Random, found: Raw[]): void {
  const { verb } = ready.clause
  const object = ready.parts[0]
  if (
    verb.aux.length > 0 ||
    verb.copula ||
    verb.negated ||
    saying.test(verb.base) ||
    object?.type !== 'np' ||
    object.role !== 'object' ||
    !object.phrase ||
    ready.parts[1]?.type === 'np'
  )
    return
  if (
    !/^(person|people|country)$/.test(ready.subjectKind) ||
    /^(have|become|include|remain|lack|resemble|want|hope|try|enter|reach|get|leave|let|go|come|seem|take)$/.test(
      verb.base,
    )
  )
    return
  if (object.phrase.b - object.phrase.a < 2 && at(ready.tokens, object.phrase.head).p !== 'PROPN') return
  const be = verb.form === 'past' ? (object.phrase.plural ? 'were' : 'was') : object.phrase.plural ? 'are' : 'is'
  const rest = keep(ready, [object], random).flatMap((part) => partItems(ready, part))
  const participle: Item = { w: participleOf(verb.base), space: true, p: 'VERB', lemma: verb.base, form: 'participle' }
  const objectItems = items(ready.tokens, object.a, object.b)
  const list =
    random() < 0.5
      ? [...literal('By whom'), ...literal(be), ...objectItems, participle, ...rest]
      : [...literal('Who'), ...literal(be), ...objectItems, participle, ...literal('by'), ...rest]
  push(found, { items: list, answer, kind: 'passive' })
}

export function askComplement(ready: Ready, random: Random, found: Raw[]): void {
  const complement = ready.parts[0]
  if (
    complement?.type !== 'np' ||
    complement.kind === 'number' ||
    ready.clause.verb.aux.length > 0 ||
    ready.clause.verb.negated
  )
    return
  if (
    /\b(example|part|reason|result|goal|purpose|way|thing|problem|question|point|answer|case|exception|difference|issue|group|one)$/i.test(
      ready.subjectText,
    )
  )
    return
  if (/(ed|ing)$/.test(at(ready.tokens, complement.a).l)) return
  const rest = ready.parts
    .slice(1)
    .filter(
      (part) =>
        !part.comma &&
        (part.type === 'rel' ||
          part.type === 'inf' ||
          part.type === 'part' ||
          (part.type === 'pp' && part.role === 'other')),
    )
  const end = rest.reduce(
    (last, part) => (part.a === last && part.b - complement.a <= 16 ? part.b : last),
    complement.b,
  )
  const answer = textOf(ready.tokens, complement.a, end)
  const wh = ready.subjectKind === 'person' ? 'Who' : 'What'
  if (words(answer) <= 2 && !/[A-Z]/.test(answer)) return
  push(found, {
    items: inverted(ready, literal(wh), []),
    answer,
    kind: 'copula',
    full: statement(ready, [complement, ...rest.filter((part) => part.b <= end)]),
  })
  const head = complement.phrase ? at(ready.tokens, complement.phrase.head) : undefined
  if (
    head?.p === 'NOUN' &&
    complement.phrase &&
    complement.phrase.head - complement.phrase.a >= 2 &&
    /^an?$/.test(at(ready.tokens, complement.a).l) &&
    !/^the\b/i.test(ready.subjectText) &&
    random() < 0.3
  ) {
    push(found, {
      items: inverted(ready, literal(pick(random, ['What kind of', 'What type of', 'What sort of'])), [], []).toSpliced(
        3,
        0,
        { w: head.l, space: true, p: 'NOUN', lemma: head.lemma },
      ),
      answer,
      kind: 'kind-of',
    })
  }
}
