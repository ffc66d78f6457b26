import { askDuration, askMeans, askPlace, askReason, askTime, askWhenClause } from './adjuncts.ts'
import {
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
import { whatDone } from './nominal.ts'
import { at, type Phrase, textOf } from './phrases.ts'
import { dullAnswer, pick, push, type Raw, saying, tail, whFor, words } from './raw.ts'
import { askComplement, askSubject } from './subject.ts'
import { pastOf } from './verbs.ts'

/** All questions on one clause. */
export function ask(ready: Ready, random: Random): Raw[] {
  const found: Raw[] = []
  const { clause } = ready
  askSubject(ready, random, found)
  if (clause.verb.copula) askComplement(ready, random, found)
  const time = [...ready.parts, ...ready.front].find((part) => part.role === 'time' && part.type === 'pp')
  const done = whatDone(ready, time ? items(ready.tokens, time.a, time.b) : [], random)
  if (done) push(found, done)
  for (const part of [...ready.parts, ...ready.front]) {
    if (part.role === 'time') askTime(ready, part, random, found)
    else if (part.role === 'place') askPlace(ready, part, random, found)
    else if (part.role === 'reason' || part.role === 'purpose') askReason(ready, part, random, found)
    else if (part.role === 'means') askMeans(ready, part, random, found)
    else if (part.role === 'duration') askDuration(ready, part, random, found)
    else if (part.role === 'agent') askAgent(ready, part, random, found)
    if (part.phrase && !ready.front.includes(part)) {
      askInner(ready, part, part.phrase, random, found)
      if (part.role === 'object' && !clause.verb.copula) askObject(ready, part, part.phrase, random, found)
      if (part.type === 'pp' && part.role === 'other' && part === ready.parts[0])
        askPrepositional(ready, part, part.phrase, random, found)
    }
    if (part.type === 'sub' && /^(when|after|before|until|once)$/.test(part.word))
      askWhenClause(ready, part, random, found)
    if (part.type === 'that' && part === ready.parts[0]) {
      push(found, {
        items: inverted(ready, literal('What'), keep(ready, [part], random)),
        answer: textOf(ready.tokens, part.a + 1, part.b),
        kind: 'clause',
      })
    }
  }
  return found
}

const lightObject =
  /^(role|roles|place|part|use|sense|advantage|effect|care|way|attention|time|note|steps?|shape|hold|rise|control|power|office|lead|reason|access|chance|right|trouble|lot|plenty|ability|tendency|favor|expression|hands|force|effect|footsteps|account|charge|line|terms|tune|touch|contact|example|examples|level|levels|rate|rates)$/

/** The object in words, with a clause that belongs to it; undefined where it makes no good answer. */
function objectAnswer(ready: Ready, part: Part, phrase: Phrase): string | undefined {
  const place = ready.parts.indexOf(part)
  const before = ready.parts.slice(0, place)
  if (part.comma || place > 2 || before.some((item) => item.type !== 'adv' && item.type !== 'np')) return undefined
  if (lightObject.test(at(ready.tokens, phrase.head).l) || part.kind === 'number' || part.kind === 'name')
    return undefined
  const next = ready.parts[place + 1]
  const attached = next && !next.comma && next.a === part.b && (next.type === 'rel' || next.type === 'part')
  const end = attached && phrase.b - phrase.a <= 2 ? next.b : part.b
  const answer = textOf(ready.tokens, part.a, end)
  return words(answer) > 12 || dullAnswer.test(answer) || /^no\b/i.test(answer) ? undefined : answer
}

function askObject(ready: Ready, part: Part, phrase: Phrase, random: Random, found: Raw[]): void {
  const { verb } = ready.clause
  if (
    verb.negated ||
    (verb.passive &&
      !/^(call|name|give|offer|grant|pay|teach|award|elect|term|dub|label|appoint|deny)$/.test(verb.base))
  )
    return
  if (/^(have|let|make|seem|remain)$/.test(verb.base) && random() < 0.5) return
  const answer = objectAnswer(ready, part, phrase)
  if (answer === undefined || saying.test(verb.base) || (verb.base === 'include' && phrase.parts.length < 2)) return
  const { wh } = whFor(ready, phrase, part.kind, random, false)
  const kept = keep(ready, [part], random).filter(
    (item) =>
      item.type !== 'rel' &&
      !(item.type === 'part' && item.a === part.b) &&
      !(item.a === part.b && item.role === 'other' && item.type === 'pp' && random() < 0.4),
  )
  const full = statement(
    ready,
    [part, ...kept].toSorted((left, right) => left.a - right.a),
  )
  push(found, { items: [...inverted(ready, wh, kept), ...tail(ready, random)], answer, kind: 'object', full })
  if (random() < 0.12) {
    const by = literal(join(wh).toLowerCase())
    push(found, {
      items: statement(
        ready,
        [part, ...kept].toSorted((left, right) => left.a - right.a),
        { part, by },
      ),
      answer,
      kind: 'in-situ',
    })
  }
  push(found, {
    items: statement(
      ready,
      [part, ...kept].toSorted((left, right) => left.a - right.a),
      { part, by: literal('______') },
    ),
    answer,
    kind: 'cloze',
    plain: true,
  })
  if (phrase.parts.length >= 3) askList(ready, part, phrase, random, found)
}

function askList(ready: Ready, part: Part, phrase: Phrase, random: Random, found: Raw[]): void {
  const names = phrase.parts.map(([a, b]) => textOf(ready.tokens, a, b))
  const last = names.at(-1) ?? ''
  const kept = keep(ready, [part], random).filter((item) => item.type !== 'rel')
  const known = random() < 0.5 ? names.slice(0, -1).join(' and ') : (names[0] ?? '')
  const rest = known === names[0] ? textOf(ready.tokens, phrase.parts[1]?.[0] ?? 0, phrase.b) : last
  const lead = pick(random, ['Along with', 'Besides', 'In addition to', 'Apart from'])
  const who = part.kind === 'people' || part.kind === 'person' ? 'who' : 'what'
  if (names.length === 3 || known === names[0])
    push(found, {
      items: [...literal(lead), ...literal(`${known},`), ...inverted(ready, literal(`${who} else`), kept)],
      answer: rest,
      kind: 'list',
    })
  const count = ['two', 'three', 'four', 'five', 'six'][names.length - 2]
  if (count)
    push(found, {
      items: inverted(
        ready,
        literal(pick(random, [`What ${count} things`, `Which ${count} things`, 'What things'])),
        kept,
      ),
      answer: textOf(ready.tokens, phrase.a, phrase.b),
      kind: 'list',
    })
  const subject = inverted(ready, literal(`Name one ${who === 'who' ? 'person' : 'thing'} that`), kept)
  const plainStatement = statement(ready, kept)
  if (subject.length > 0)
    push(found, {
      items: [...literal(`Name one ${who === 'who' ? 'person' : 'thing'} that`), ...plainStatement],
      answer: names[Math.floor(random() * names.length)] ?? '',
      kind: 'list',
      plain: true,
    })
}

function askPrepositional(ready: Ready, part: Part, phrase: Phrase, random: Random, found: Raw[]): void {
  const { verb } = ready.clause
  if (verb.copula || verb.negated || !/^(on|to|with|for|from|into|of|about|against|as|in|over)$/.test(part.word)) return
  const answer = textOf(ready.tokens, phrase.a, phrase.b)
  if (
    words(answer) > 8 ||
    part.kind === 'name' ||
    part.kind === 'time' ||
    part.kind === 'duration' ||
    lightObject.test(at(ready.tokens, phrase.head).l)
  )
    return
  const { wh } = whFor(ready, phrase, part.kind, random, true)
  const kept = keep(ready, [part], random).filter(
    (item) => item.a !== part.b || item.role !== 'other' || random() < 0.5,
  )
  const full = statement(
    ready,
    [part, ...kept].toSorted((left, right) => left.a - right.a),
  )
  push(found, {
    items: [...inverted(ready, wh, []), ...literal(part.word), ...kept.flatMap((item) => partItems(ready, item))],
    answer,
    kind: 'prep-object',
    full,
  })
}

function askAgent(ready: Ready, part: Part, random: Random, found: Raw[]): void {
  if (!part.phrase) return
  const { verb } = ready.clause
  const answer = textOf(ready.tokens, part.phrase.a, part.phrase.b)
  if (words(answer) > 9) return
  if (part.kind === 'name') part.kind = 'person'
  const kept = keep(ready, [part], random).filter(
    (item) => item.a !== part.b || item.role === 'time' || item.role === 'place',
  )
  const { wh } = whFor(ready, part.phrase, part.kind, random, true)
  const body = kept.flatMap((item) => partItems(ready, item))
  const [first, second] = [kept.filter((item) => item.a < part.a), kept.filter((item) => item.a > part.a)]
  const full = statement(
    ready,
    ready.parts.filter((item) => kept.includes(item) || item === part),
  )
  if (verb.aux.length === 1 && !verb.negated && /^(was|were)$/.test(verb.aux[0] ?? '')) {
    push(found, {
      items: [
        ...wh,
        { w: pastOf(verb.base), space: true, p: 'VERB', lemma: verb.base, form: 'past' },
        ...ready.subject,
        ...body,
      ],
      answer,
      kind: 'agent',
      full,
    })
  }
  const person = part.kind === 'person' || part.kind === 'people'
  push(found, {
    items:
      person && random() < 0.5
        ? inverted(ready, literal('By whom'), kept)
        : [...inverted(ready, wh, first), ...literal('by'), ...second.flatMap((item) => partItems(ready, item))],
    answer,
    kind: 'agent',
    full,
  })
}
