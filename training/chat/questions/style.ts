import { join, type Random } from './build.ts'
import { firstNames } from './lexicon.ts'
import type { Raw } from './raw.ts'
import { type Item, otherWord } from './synonyms.ts'

export type Question = { q: string; a: string; s?: string; kind: string }

const choose =
  (random: Random) =>
  (count: number): number =>
    Math.floor(random() * count)

/** Up to two words exchanged for others of the same meaning. */
function exchange(list: Item[], random: Random): Item[] {
  let left = random() < 0.5 ? (random() < 0.6 ? 1 : 2) : 0
  if (left === 0) return list
  const order = list.map((_, index) => index).toSorted(() => random() - 0.5)
  const changed = [...list]
  for (const index of order) {
    const item = changed[index] as Item
    const after = changed[index + 1]
    const phrasal =
      item.p === 'VERB' && after && /^(on|up|out|off|over|to|for|with|into|as|at|of|down|away|in)$/.test(after.w)
    const other =
      left > 0 && !phrasal && !(item.p === 'NOUN' && after?.p === 'NOUN') ? otherWord(item, choose(random)) : undefined
    if (!other) continue
    changed[index] = { ...item, w: other }
    const before = changed[index - 1]
    if (before && /^an?$/.test(before.w)) changed[index - 1] = { ...before, w: /^[aeiou]/.test(other) ? 'an' : 'a' }
    left--
  }
  return changed
}

/** "Abraham Lincoln" becomes "Lincoln" now and then. */
function shortName(list: Item[], random: Random): Item[] {
  if (random() > 0.3) return list
  return list.filter(
    (item, index) =>
      !(
        item.p === 'PROPN' &&
        firstNames.has(item.w) &&
        list[index + 1]?.p === 'PROPN' &&
        /^[A-Z][a-z]{2,}$/.test(list[index + 1]?.w ?? '') &&
        list[index - 1]?.p !== 'PROPN' &&
        list[index + 2]?.p !== 'PROPN' &&
        index > 0
      ),
  )
}

/** Short words that rarely carry the question. */
function dropModifiers(list: Item[], random: Random): Item[] {
  return list.filter((item, index) => {
    const next = list[index + 1]
    if (item.p === 'ADV' && /ly$/.test(item.w)) return random() < 0.5
    if (
      item.p === 'ADJ' &&
      next?.p === 'NOUN' &&
      index > 2 &&
      list[index - 1]?.w !== 'a' &&
      list[index - 1]?.w !== 'an' &&
      /^[a-z]+$/.test(item.w) &&
      list[index - 1]?.p !== 'ADJ'
    )
      return random() < 0.85
    return true
  })
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

export function finish(raw: Raw, random: Random): Question {
  const list = raw.kind === 'cloze' ? raw.items : shortName(dropModifiers(exchange(raw.items, random), random), random)
  let q = capital(join(list))
    .replace(/\s+/g, ' ')
    .replace(/\bcan not\b/g, 'cannot')
    .replace(/[,\s]+$/, '')
    .trim()
  if (raw.kind !== 'cloze') {
    const front =
      random() < 0.12
        ? /^((?:Who|What|Which|Where|How|Why)\b.*) (in \d{4}|in the (?:early |late )?\d{4}s|during the [\w ]{3,20} century)$/.exec(
            q,
          )
        : null
    if (front) q = `${capital(front[2] ?? '')}, ${(front[1] ?? '').charAt(0).toLowerCase()}${(front[1] ?? '').slice(1)}`
    q += raw.plain ? '.' : '?'
    const crowd = random()
    if (crowd < 0.04) q = q.charAt(0).toLowerCase() + q.slice(1)
    else if (crowd < 0.06) q = q.slice(0, -1)
    else if (crowd < 0.075) q = q.slice(0, -1).toLowerCase()
    else if (crowd < 0.09 && !raw.plain) q = q.replace(/\?$/, ' according to the text?')
    else if (crowd < 0.1 && !raw.plain) q = `According to the passage, ${q.charAt(0).toLowerCase()}${q.slice(1)}`
  } else q = `${q}.`
  const asked = /^(?:which|what) (\w+) /i.exec(q)?.[1]?.toLowerCase()
  const trimmed = trimAnswer(raw.answer, random, raw.kind)
  const repeated = asked !== undefined && trimmed.toLowerCase().startsWith(`${asked} `)
  const answer = repeated ? trimmed.slice(asked.length + 1) : trimmed
  const question: Question = { q, a: answer, kind: raw.kind }
  if (raw.full && random() < 0.45) {
    const s = `${capital(join(raw.full))
      .replace(/\bcan not\b/g, 'cannot')
      .replace(/[,\s]+$/, '')}.`.replace(/\.\.$/, '.')
    if (
      s.length < 260 &&
      s.toLowerCase().includes(answer.toLowerCase().replace(/^(the|an?) /, '')) &&
      !/["\u2014;:]/.test(s)
    )
      question.s = s
  }
  return question
}

function trimAnswer(answer: string, random: Random, kind: string): string {
  const trimmed = answer.replace(/^(and|or) /, '').replace(/[,;:\s]+$/, '')
  if (/^(cloze|whose|apposition|copula|what-done)$/.test(kind)) return trimmed
  return random() < 0.3 && trimmed.split(' ').length <= 5 ? trimmed.replace(/^(the|a|an) (?=\S)/i, '') : trimmed
}

const stop = new Set(
  'the a an of in on at to for and or by with from is was are were be been did do does what who which when where why how that as it its has have had could would may might can will should must take takes took place having become becomes became get make very more most much many some there their his her this these according text passage you your'.split(
    ' ',
  ),
)
export const contentWords = (text: string): string[] =>
  (text.toLowerCase().match(/[a-z0-9][a-z0-9'-]*/g) ?? []).filter((word) => !stop.has(word))

const loose =
  /\b(this|these|those|he|she|it|they|them|him|we|us|our|i|me|my|here|ourselves|latter|former|figure|table|chapter|section|previous|said to)\b/i

export function acceptable(question: Question, passage: string): boolean {
  const { q, a, kind } = question
  const count = q.split(/\s+/).length
  if (count < 4 || count > 26 || a.length < 1 || a.length > 170) return false
  if (
    !passage.includes(a) ||
    /["\u2014;:|<>{}\\=_]/.test(kind === 'cloze' ? q.replace(/_/g, '') : q) ||
    /[()[\]]/.test(q)
  )
    return false
  if (q.toLowerCase().includes(a.toLowerCase()) || loose.test(q)) return false
  if (
    /^(until then|then|today|he|she|it|they|this|that|these|those|who|which|them|him|you|we|i|one|some|many|such|others?|figure)$/i.test(
      a,
    ) ||
    (/^(this|these|those|such|his|her|its|their|our|my) /i.test(a) && a.split(' ').length < 3)
  )
    return false
  if (
    /\bher(\?|\.|$| (in|into|to|with|from|at|on|by|for|as|and|that|up|out|away|back|over|through|off|down|when|was|so|very)\b)/.test(
      q,
    )
  )
    return false
  if (
    /\b(wo|ca|sha) not\b|^what being\b|\.\?$|\b(however|moreover|therefore|furthermore|whereby)\b|\b(see|eq|et al)\b\.?\?/i.test(
      q,
    )
  )
    return false
  const asked = contentWords(q)
  const answered = contentWords(a)
  if (asked.length < (/^(copula|apposition|stands-for)$/.test(kind) ? 1 : 2) || answered.length === 0) return false
  const shared = answered.filter((word) => asked.includes(word)).length
  if (shared > 0 && shared * 2 >= answered.length) return false
  if (
    /\b(\w+) \1\b/i.test(q) ||
    /\b(and|or|the|a|an|but|very|more)[?.]$/i.test(q) ||
    /\b(his|her|its|their) (who|what)/i.test(q)
  )
    return false
  if (/\b(his|her|its|their)\b/i.test(q) && /^(who|what)-subject$/.test(kind) === false && possessiveFirst(q))
    return false
  return true
}

/** A possessive pronoun that stands before any name or noun it could point to. */
function possessiveFirst(q: string): boolean {
  const match = /\b(his|her|its|their)\b/i.exec(q)
  return (
    match !== null &&
    !/\b(did|do|does|was|were|is|are|had|has|have|can|could|would|will|may|might|must|should) .*[a-zA-Z]{3,}/.test(
      q.slice(0, match.index),
    )
  )
}
