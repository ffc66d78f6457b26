import { inverted, items, keep, literal, type Part, type Random, type Ready, statement } from './build.ts'
import { timeOfDeed } from './nominal.ts'
import { at, type Kind, textOf } from './phrases.ts'
import { pick, push, type Raw, tail, words } from './raw.ts'

function timeWords(kind: Kind, word: string, random: Random): string {
  if (kind === 'year') return pick(random, ['When', 'When', 'In what year', 'In which year', 'What year'])
  if (kind === 'date') return pick(random, ['When', 'On what date', 'On which date', 'On what day'])
  if (kind === 'month') return pick(random, ['When', 'In what month', 'In what month and year'])
  if (kind === 'decade') return pick(random, ['When', 'In what decade', 'During which decade', 'During what time'])
  if (kind === 'century') return pick(random, ['When', 'In what century', 'During which century', 'In which century'])
  return word === 'during' ? pick(random, ['When', 'During what period', 'During what time']) : 'When'
}

export function askTime(ready: Ready, part: Part, random: Random, found: Raw[]): void {
  if ([...ready.parts, ...ready.front].filter((item) => item.role === 'time').length > 1) return
  if (!part.phrase || (/^(since|until|from)$/.test(part.word) && random() < 0.7)) return
  const answer = textOf(ready.tokens, part.phrase.a, part.phrase.b)
  if (/^(this|that|these|those|same|which|the time|times?|the day|each|every)\b/i.test(answer)) return
  if (
    part.kind === 'time' &&
    /^(moment|time|times|hour|period|era|age|day|days|years|minute|second|moments)$/.test(
      at(ready.tokens, part.phrase.head).l,
    ) &&
    part.phrase.b - part.phrase.a <= 3
  )
    return
  if (/^(has|have)$/.test(ready.clause.verb.aux[0] ?? '') && part.word !== 'since') return
  const deed = timeOfDeed(ready, part, answer, random)
  if (deed) push(found, deed)
  const fit = /^(in|on|during)$/.test(part.word) || part.type === 'np'
  const wh =
    part.word === 'by'
      ? pick(random, ['By when', 'By what point', 'When'])
      : /^(since|until)$/.test(part.word)
        ? `${part.word} when`
        : fit
          ? timeWords(part.kind, part.word, random)
          : 'When'
  const whole =
    fit || part.word === 'by' || /^(since|until|from)$/.test(part.word) ? answer : textOf(ready.tokens, part.a, part.b)
  const kept = keep(ready, [part], random).filter((item) => item.role !== 'time')
  const full = [...statement(ready, kept), ...items(ready.tokens, part.a, part.b)]
  push(found, {
    items: inverted(ready, literal(wh.charAt(0).toUpperCase() + wh.slice(1)), kept),
    answer: whole,
    kind: 'when',
    full,
  })
  if (random() < 0.15 && fit && part.kind !== 'time') {
    const by =
      {
        year: 'in what year',
        date: 'on what date',
        month: 'in what month',
        decade: 'in what decade',
        century: 'in which century',
      }[part.kind as 'year'] ?? 'when'
    push(found, { items: [...statement(ready, kept), ...literal(by)], answer, kind: 'in-situ' })
  }
}

export function askPlace(ready: Ready, part: Part, random: Random, found: Raw[]): void {
  if (!part.phrase || ready.clause.verb.negated) return
  const answer = textOf(ready.tokens, part.phrase.a, part.phrase.b)
  if (words(answer) > 8) return
  const typed = /^(country|state|city|continent)$/.test(part.kind) ? part.kind : undefined
  const kept = keep(ready, [part], random).filter((item) => item.role !== 'place')
  const full = statement(ready, [...ready.parts.filter((item) => kept.includes(item) || item === part)])
  const strand = /^(to|from|into|near|across|off|along)$/.test(part.word)
  const question = strand
    ? [
        ...inverted(ready, literal(typed ? `${pick(random, ['What', 'Which'])} ${typed}` : 'Where'), kept),
        ...(typed || part.word === 'from' ? literal(part.word) : []),
      ]
    : inverted(
        ready,
        literal(typed && random() < 0.6 ? pick(random, [`In what ${typed}`, `In which ${typed}`]) : 'Where'),
        kept,
      )
  push(found, { items: [...question, ...tail(ready, random, part)], answer, kind: 'where', full })
}

export function askReason(ready: Ready, part: Part, random: Random, found: Raw[]): void {
  if (/^(not|only|part)$/.test(at(ready.tokens, part.a - 1).l)) return
  const skip = part.role === 'purpose' || random() < 0.5 ? 0 : part.word.split(' ').length
  const answer = textOf(ready.tokens, part.a + skip, part.b)
  const kept = keep(ready, [part], random).filter((item) => item.a < part.a || ready.front.includes(part))
  const { verb } = ready.clause
  const wh =
    part.role === 'purpose'
      ? pick(random, ['Why', 'Why', 'For what purpose', 'For what reason'])
      : pick(random, ['Why', 'Why', 'Why', 'For what reason', 'What is the reason that'])
  const body = wh.endsWith('that') ? [...literal(wh), ...statement(ready, kept)] : inverted(ready, literal(wh), kept)
  if (verb.negated && wh !== 'Why') return
  push(found, {
    items: body,
    answer,
    kind: 'why',
    full: [...statement(ready, kept), ...items(ready.tokens, part.a, part.b)],
  })
}

export function askMeans(ready: Ready, part: Part, random: Random, found: Raw[]): void {
  const kept = keep(ready, [part], random).filter((item) => item.a < part.a || ready.front.includes(part))
  const answer = textOf(ready.tokens, part.a + (random() < 0.4 ? 1 : 0), part.b)
  const wh = pick(random, ['How', 'How', 'How', 'By what means', 'In what way'])
  push(found, {
    items: inverted(ready, literal(wh), kept),
    answer,
    kind: 'how',
    full: [...statement(ready, kept), ...items(ready.tokens, part.a, part.b)],
  })
}

export function askDuration(ready: Ready, part: Part, random: Random, found: Raw[]): void {
  if (!part.phrase) return
  const kept = keep(ready, [part], random).filter((item) => item.role !== 'duration')
  const wh = pick(random, ['How long', 'How long', 'For how long'])
  push(found, {
    items: inverted(ready, literal(wh), kept),
    answer: textOf(ready.tokens, part.phrase.a, part.phrase.b),
    kind: 'how-long',
    full: [...statement(ready, kept), ...items(ready.tokens, part.a, part.b)],
  })
}

export function askWhenClause(ready: Ready, part: Part, random: Random, found: Raw[]): void {
  if (ready.clause.verb.negated) return
  const kept = keep(ready, [part], random).filter(
    (item) => item.role !== 'time' && (item.a < part.a || ready.front.includes(part)),
  )
  push(found, {
    items: inverted(
      ready,
      literal(part.word === 'until' ? 'Until when' : pick(random, ['When', 'When', 'At what point'])),
      kept,
    ),
    answer: textOf(ready.tokens, part.a, part.b),
    kind: 'when-clause',
  })
}
