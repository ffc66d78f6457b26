import { ask } from './ask.ts'
import { items, prepare, type Random, type Resolved } from './build.ts'
import type { Clause } from './clauses.ts'
import { patterns } from './patterns.ts'
import { at, findPersons, kindOf, textOf } from './phrases.ts'
import type { Raw } from './raw.ts'
import { clausesOf } from './sentences.ts'
import { acceptable, contentWords, finish, type Question } from './style.ts'
import { cleanText, readSentences, type Sentence, type Token } from './tokens.ts'

export type Passage = { passage: string; qa: Question[]; un: string[] }
type Read = Sentence & { clauses: Clause[] }

const wordCount = (text: string): number => text.split(/\s+/).length
const usable = (sentence: Sentence): boolean => {
  const { text } = sentence
  const letters = text.replace(/[^a-z ]/gi, '').length
  return (
    text.length > 12 &&
    text.length < 600 &&
    letters > text.length * 0.8 &&
    /^["'(]?[A-Z0-9]/.test(text) &&
    /[.!?]["')]?$/.test(text) &&
    !/[{}<>|\\=_]|https?:|\u2014.*\u2014.*\u2014|\b(No|Vol|pp|ed|eds)\. \d|\bdoi\b|\bISBN\b|\([A-Z][a-z]+,? \d{4}\)\./.test(
      text,
    )
  )
}

/** Runs of sentences that make passages: 50 to 190 words each. */
function cut(paragraphs: Read[][], random: Random): Read[][] {
  const passages: Read[][] = []
  let current: Read[] = []
  let size = 0
  let target = 80 + random() * 80
  const close = (): void => {
    if (size >= 50) passages.push(current)
    current = []
    size = 0
    target = 80 + random() * 80
  }
  for (const paragraph of paragraphs) {
    if (size > 0 && size < 50 && wordCount(paragraph.map((sentence) => sentence.text).join(' ')) < 30) close()
    for (const sentence of paragraph) {
      const length = wordCount(sentence.text)
      if (!usable(sentence)) {
        close()
        continue
      }
      if (size + length > 190 || current.length >= 8) close()
      current.push(sentence)
      size += length
      if (size >= target) close()
    }
    if (size >= 60) close()
  }
  close()
  return passages.filter((passage) => passage.length >= 2)
}

/** What a pronoun at the start stands for: the subject of the sentence before, where only that fits. */
function resolve(
  clause: Clause,
  before: Read | undefined,
  same: Clause | undefined,
  persons: Set<string>,
): Resolved | undefined {
  const word = at(clause.tokens, clause.subject.a).l
  if (word === 'you') {
    const item = { w: 'you', space: true, p: 'PRON', lemma: 'you' }
    return clause.verb.form === 'past' && clause.verb.aux.length === 0
      ? undefined
      : { items: [item], text: 'you', kind: 'people', plural: true }
  }
  const source = same ?? before?.clauses[0]
  if (!source || source.pronoun || source.relative) return undefined
  const { tokens, subject } = source
  const kind = kindOf(tokens, subject, persons)
  const text = textOf(tokens, subject.a, source.subjectEnd)
  if (
    /^(this|these|those|such|his|her|its|their|our|many|some|one|most|all|each|no|any|both|another)\b/i.test(text) ||
    wordCount(text) > 6
  )
    return undefined
  const resolved = (): Resolved => ({
    items: items(tokens, subject.a, source.subjectEnd),
    text,
    kind,
    plural: subject.plural,
  })
  if (word === 'he' || word === 'she')
    return kind === 'person' && onePerson(before, same, persons) ? resolved() : undefined
  if (word === 'it')
    return !subject.plural && kind !== 'person' && kind !== 'people' && !isEmptyIt(clause) ? resolved() : undefined
  return word === 'they' && subject.plural ? resolved() : undefined
}

function onePerson(before: Read | undefined, same: Clause | undefined, persons: Set<string>): boolean {
  const tokens = same?.tokens ?? before?.tokens ?? []
  return new Set(tokens.filter((token: Token) => persons.has(token.w)).map((token: Token) => token.w)).size <= 1
}

const isEmptyIt = (clause: Clause): boolean =>
  (clause.verb.copula && clause.elements[0]?.type !== 'np') ||
  /^(seem|appear|turn|happen|take|become|follow|rain|mean)$/.test(clause.verb.base) ||
  clause.verb.passive ||
  clause.elements.some((element) => element.type === 'that' || element.type === 'rel')

/** "His election" after a sentence on Lincoln: "Lincoln's election". */
function resolveOwner(clause: Clause, before: Read | undefined, persons: Set<string>): Resolved | undefined {
  const { tokens, subject, subjectEnd } = clause
  const word = at(tokens, subject.a).l
  const pronoun = { his: 'he', her: 'she', its: 'it', their: 'they' }[word]
  if (!pronoun || subject.a !== 0) return undefined
  const token = { ...at(tokens, subject.a), l: pronoun }
  const verb = { ...clause.verb, copula: false, passive: false, base: 'do' }
  const like: Clause = { ...clause, tokens: [token, ...tokens.slice(1)], verb, elements: [] }
  const owner = resolve(like, before, undefined, persons)
  if (!owner) return undefined
  const last = owner.items.at(-1)
  if (!last) return undefined
  const named = [...owner.items.slice(0, -1), { ...last, w: last.w + (last.w.endsWith('s') ? "'" : "'s") }]
  const rest = items(tokens, subject.a + 1, subjectEnd)
  return {
    items: [...named, ...rest],
    text: `${owner.text}'s ${textOf(tokens, subject.a + 1, subjectEnd)}`,
    kind: kindOf(tokens, subject, persons),
    plural: subject.plural,
  }
}

function rawQuestions(sentence: Read, before: Read | undefined, persons: Set<string>, random: Random): Raw[] {
  const found = patterns(sentence.tokens, persons, random)
  for (const [index, clause] of sentence.clauses.entries()) {
    const same = clause.pronoun && index > 0 ? sentence.clauses[index - 1] : undefined
    const resolved = clause.pronoun ? resolve(clause, before, same, persons) : undefined
    const owner = clause.pronoun ? undefined : resolveOwner(clause, before, persons)
    const ready = prepare(clause, persons, resolved ?? owner)
    if (
      !ready ||
      /^(this|these|those|such|his|her|its|their|our|my|another|others?|there|that|what|which|who)\b/i.test(
        ready.subjectText,
      )
    )
      continue
    found.push(...ask(ready, random))
  }
  return found
}

const bare = (text: string): string => text.toLowerCase().replace(/^(the|an?) /, '')

const weights: Record<string, number> = {
  cloze: 0.16,
  'what-subject': 0.75,
  'who-subject': 1.1,
  object: 0.9,
  copula: 0.8,
  'kind-of': 0.6,
  when: 1.3,
  where: 1.1,
  'how-many': 1.6,
  why: 1.5,
  how: 1.4,
  clause: 0.6,
  'when-clause': 0.7,
  'in-situ': 0.7,
  'prep-object': 0.8,
  list: 0.9,
  passive: 0.7,
  agent: 1.3,
  example: 1.2,
  called: 1.5,
  whose: 0.8,
  'what-done': 0.3,
  deed: 0.9,
  'when-deed': 1.4,
}

/** At most two questions from one sentence, three to six in all, kinds mixed. */
function questionsOf(passage: Read[], persons: Set<string>, random: Random): Question[] {
  const text = passage.map((sentence) => sentence.text).join(' ')
  const all: { question: Question; sentence: number; rank: number }[] = []
  for (const [index, sentence] of passage.entries()) {
    const previous = index > 0 ? passage[index - 1] : undefined
    for (const raw of rawQuestions(sentence, previous, persons, random)) {
      const question = finish(raw, random)
      if (acceptable(question, text))
        all.push({
          question,
          sentence: index,
          rank:
            random() / (weights[raw.kind] ?? 1) +
            (question.a.split(' ').length > 8 ? 0.25 : 0) -
            (/[A-Z0-9]/.test(question.a.slice(1)) ? 0.25 : 0),
        })
    }
  }
  all.sort((left, right) => left.rank - right.rank)
  const used = new Map<number, number>()
  const chosen: Question[] = []
  const kinds = new Map<string, number>()
  const limit = 4 + Math.floor(random() * 3)
  for (const { question, sentence } of all) {
    if (chosen.length >= limit) break
    if (
      (used.get(sentence) ?? 0) >= 2 ||
      (kinds.get(question.kind) ?? 0) >= (/^(cloze|kind-of|clause|copula|stands-for)$/.test(question.kind) ? 1 : 3) ||
      chosen.some((other) => bare(other.a) === bare(question.a) || other.q === question.q)
    )
      continue
    chosen.push(question)
    used.set(sentence, (used.get(sentence) ?? 0) + 1)
    kinds.set(question.kind, (kinds.get(question.kind) ?? 0) + 1)
  }
  return chosen
}

/** Questions of passages nearby that this one does not answer, those first that share words with it. */
function unanswered(all: { text: string; qa: Question[] }[], index: number, random: Random): string[] {
  const here = all[index]
  if (!here) return []
  const own = new Set(contentWords(here.text))
  const rated: { q: string; share: number }[] = []
  for (const distance of [1, 2, 3, 4, 5, -1, -2, -3, -4, -5]) {
    for (const question of all[index + distance]?.qa ?? []) {
      if (
        question.kind === 'cloze' ||
        question.kind === 'example' ||
        here.text.toLowerCase().includes(question.a.toLowerCase())
      )
        continue
      const asked = contentWords(question.q)
      const share = asked.filter((word) => own.has(word)).length / asked.length
      if (asked.length >= 3 && share <= 0.67) rated.push({ q: question.q, share: share + random() * 0.2 })
    }
  }
  rated.sort((left, right) => right.share - left.share)
  return rated.slice(0, 1 + Math.floor(random() * 2)).map((item) => item.q)
}

export function passagesOf(text: string, random: Random): Passage[] {
  const paragraphs = text
    .split(/\n+/)
    .map(cleanText)
    .filter((paragraph) => paragraph.length > 30 && paragraph.length < 8000)
    .map((paragraph) => readSentences(paragraph))
  const persons = findPersons(paragraphs.flat())
  const read = paragraphs.map((paragraph) =>
    paragraph.map(
      (sentence): Read => ({
        ...sentence,
        clauses: usable(sentence) && !sentence.text.includes('"') ? clausesOf(sentence.tokens) : [],
      }),
    ),
  )
  const cuts = cut(read, random)
  const done = cuts.map((passage) => ({
    text: passage.map((sentence) => sentence.text).join(' '),
    qa: questionsOf(passage, persons, random),
  }))
  return done
    .map((item, index) => ({ passage: item.text, qa: item.qa, un: unanswered(done, index, random) }))
    .filter((item) => item.qa.length >= 2)
}
