import { items, literal, type Part, type Random, type Ready } from './build.ts'
import { textOf } from './phrases.ts'
import { pick, type Raw } from './raw.ts'
import type { Item } from './synonyms.ts'

/** Verbs and the noun for the deed. */
const deeds = new Map(
  `found founding;discover discovery;invent invention;destroy destruction;assassinate assassination;elect election;publish publication
construct construction;build building;establish establishment;invade invasion;sign signing;adopt adoption;create creation;complete completion
introduce introduction;declare declaration;abolish abolition;develop development;form formation;launch launch;release release;ratify ratification
conquer conquest;annex annexation;occupy occupation;colonize colonization;settle settlement;organize organization;murder murder;execute execution
translate translation;design design;compose composition;capture capture;defeat defeat;explore exploration;purchase purchase;acquire acquisition
pass passage;approve approval;propose proposal;expand expansion;repeal repeal;open opening;install installation;appoint appointment;impeach impeachment`
    .split(/[;\n]+/)
    .map((line) => line.trim().split(' ') as [string, string]),
)
const happenings = new Map([
  ['begin', 'start'],
  ['start', 'start'],
  ['end', 'end'],
  ['die', 'death'],
  ['erupt', 'eruption'],
  ['collapse', 'collapse'],
  ['arrive', 'arrival'],
  ['retire', 'retirement'],
  ['resign', 'resignation'],
  ['surrender', 'surrender'],
  ['open', 'opening'],
  ['close', 'closing'],
])

const possessive = (ready: Ready): Item[] => {
  const list = ready.subject.map((item) => ({ ...item }))
  const last = list.at(-1)
  if (last) last.w += last.w.endsWith('s') ? "'" : "'s"
  return list
}

/** "Who is credited with the invention of X?" for "Y invented X". */
export function byDeed(ready: Ready, answer: string, random: Random): Raw | undefined {
  const { verb } = ready.clause
  const deed = deeds.get(verb.base)
  const object = ready.parts[0]
  if (!deed || verb.passive || verb.negated || verb.form !== 'past' || object?.role !== 'object') return undefined
  if (!/^(person|people|country)$/.test(ready.subjectKind)) return undefined
  const wh =
    ready.subjectKind === 'country'
      ? pick(random, ['Which country was responsible for', 'What country was behind'])
      : pick(random, ['Who was responsible for', 'Who is credited with', 'Who was behind', 'Who carried out'])
  return {
    items: [
      ...literal(wh),
      ...literal('the'),
      ...literal(deed),
      ...literal('of'),
      ...items(ready.tokens, object.a, object.b),
    ],
    answer,
    kind: 'deed',
  }
}

/** "In what year did the construction of X take place?" for "X was built in ..." */
export function timeOfDeed(ready: Ready, part: Part, answer: string, random: Random): Raw | undefined {
  const { verb } = ready.clause
  if (verb.negated || !part.phrase || !/^(in|on)$/.test(part.word) || !/^(year|date|month|decade)$/.test(part.kind))
    return undefined
  const unit = part.kind
  const kind = 'when-deed'
  if (verb.base === 'bear' && verb.passive) {
    const wh =
      unit === 'year'
        ? ['What is the birth year of', 'What was the year of birth of']
        : ['What is the birthday of', 'What was the birth date of']
    return { items: [...literal(pick(random, wh)), ...ready.subject], answer, kind }
  }
  const simple = happenings.get(verb.base)
  if (simple && verb.aux.length === 0 && ready.parts.every((item) => item.type !== 'np' || item.role !== 'object')) {
    const ofSubject =
      verb.base === 'die' || ready.subjectKind === 'person'
        ? [...possessive(ready), ...literal(simple)]
        : [...literal(`the ${simple} of`), ...ready.subject]
    const wh = pick(random, [
      `What was the ${unit} of`,
      `What ${unit} marked`,
      `What ${unit} saw`,
      `In which ${unit} was`,
    ])
    return { items: [...literal(wh), ...ofSubject], answer, kind }
  }
  const deed = deeds.get(verb.base)
  if (!deed || !verb.passive || verb.aux.length > 1) return undefined
  const body = [...literal(`the ${deed} of`), ...ready.subject]
  return random() < 0.5
    ? {
        items: [
          ...literal(pick(random, [`What was the ${unit} of`, `What ${unit} saw`, `What is the ${unit} of`])),
          ...body,
        ],
        answer,
        kind,
      }
    : {
        items: [
          ...literal(pick(random, ['When did', `In what ${unit} did`])),
          ...body,
          ...literal(pick(random, ['take place', 'happen', 'occur'])),
        ],
        answer,
        kind,
      }
}

/** "What did X do in 1850?" with the predicate as answer. */
export function whatDone(ready: Ready, time: Item[], random: Random): Raw | undefined {
  const { verb } = ready.clause
  const last = ready.parts.filter((part) => !part.comma).findLast((part) => part.role !== 'time' || part.type !== 'pp')
  if (verb.negated || verb.copula || !last || last.b - verb.b < 2 || last.b - verb.b > 10) return undefined
  if (ready.parts.some((part) => part.a < last.a && part.role === 'time')) return undefined
  const start = verb.b - 1
  if (verb.aux.length === 0 && verb.form === 'past' && /^(person|people|country)$/.test(ready.subjectKind)) {
    return {
      items: [...literal('What did'), ...ready.subject, ...literal('do'), ...time],
      answer: textOf(ready.tokens, start, last.b),
      kind: 'what-done',
    }
  }
  if (verb.passive && verb.aux.length === 1 && ready.past && verb.adverbs.length === 0 && random() < 0.3) {
    return {
      items: [...literal('What happened to'), ...ready.subject, ...time],
      answer: textOf(ready.tokens, verb.a, last.b),
      kind: 'what-done',
    }
  }
  return undefined
}
