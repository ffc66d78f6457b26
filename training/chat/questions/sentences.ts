import { type Clause, type Element, elementsAt, type Group, groupAt, prepositionAt } from './clauses.ts'
import { timeNouns } from './lexicon.ts'
import { at, type Phrase, phraseAt, simplePhrase } from './phrases.ts'
import type { Token } from './tokens.ts'
import { pastOf } from './verbs.ts'

const pronouns = /^(he|she|it|they|we|you|i|this|these|those|that|one|some|many|others|most)$/

export function withoutParentheses(tokens: Token[]): Token[] {
  const kept: Token[] = []
  let depth = 0
  for (const token of tokens) {
    if (/^[([]$/.test(token.w)) depth++
    else if (/^[)\]]$/.test(token.w)) depth = Math.max(0, depth - 1)
    else if (depth === 0) kept.push(token)
  }
  return kept
}

/** All clauses that can be read with some certainty. */
export function clausesOf(source: Token[]): Clause[] {
  const tokens = withoutParentheses(source)
  if (tokens.length < 5 || tokens.length > 60) return []
  const clauses = readClauses(tokens)
  if (clauses.length > 0) return clauses
  const other = withVerb(tokens)
  return other ? readClauses(other) : []
}

const oftenVerbs =
  /^(cause|result|work|use|need|help|play|show|form|produce|control|increase|change|support|study|report|place|interview|face|plan|function|market|cover|range|process|rank|test|design|focus|influence|impact|affect|contract|release|store|transfer|transport|claim|act|aim|attempt|benefit|host|house|land|lead|limit|link|mark|measure|name|offer|order|present|project|promise|question|reach|regard|remain|rest|return|risk|rule|search|share|shift|signal|start|state|stress|target|touch|trade|travel|trigger|value|vary|view|visit|vote|witness|challenge|experience|exercise|demand|damage|end|display|document|double|estimate|exchange|export|import)s?$/

/** The same words with a noun read as the verb, where no verb was found in its place. */
function withVerb(tokens: Token[]): Token[] | undefined {
  const place = tokens.findIndex(
    (token, index) =>
      index > 0 &&
      token.p === 'NOUN' &&
      oftenVerbs.test(token.l) &&
      /^(NOUN|PROPN)$/.test(at(tokens, index - 1).p) &&
      /^(DET|ADP|ADJ|PRON|NUM|NOUN)$/.test(at(tokens, index + 1).p) &&
      at(tokens, index + 1).l !== 'of',
  )
  if (place < 0 || tokens.slice(0, place).some((token) => token.p === 'VERB' || token.p === 'AUX')) return undefined
  return tokens.map((token, index) => (index === place ? { ...token, p: 'VERB' } : token))
}

function readClauses(tokens: Token[]): Clause[] {
  const clauses: Clause[] = []
  let index = 0
  for (let guard = 0; guard < 6 && index < tokens.length; guard++) {
    const clause = clauseAt(tokens, index, clauses.length)
    if (!clause) break
    if (clause.good) clauses.push(clause.clause)
    index = continueAfter(tokens, clause.end, clause.clause, clauses)
    if (index < 0) break
  }
  innerClauses(tokens, clauses)
  return clauses
}

const openers = /^(when|while|because|although|though|after|before|since|as|until|where|so|whereas)$/

/** Clauses behind a conjunction and relative clauses behind a comma, where not yet read. */
function innerClauses(tokens: Token[], clauses: Clause[]): void {
  const known = (clause: Clause): boolean => clauses.some((other) => other.verb.main === clause.verb.main)
  for (let index = 0; index < tokens.length - 3; index++) {
    const token = at(tokens, index)
    if (index > 1 && /^(who|which)$/.test(token.l) && at(tokens, index - 1).w === ',') {
      const phrase = phraseBefore(tokens, index - 1)
      const found: Clause[] = []
      relativeClause(tokens, index, phrase, found)
      clauses.push(...found.filter((clause) => !known(clause)))
    }
    const saysThat = token.l === 'that' && at(tokens, index - 1).p === 'VERB'
    if (!saysThat && (!openers.test(token.l) || (token.p === 'ADP' && at(tokens, index + 1).p === 'VERB'))) continue
    const subject = at(tokens, index + 1).l === 'that' ? undefined : subjectAt(tokens, index + 1)
    if (!subject || at(tokens, subject.a).p === 'PRON') continue
    const read = clauseAt(tokens, index + 1, 5)
    if (read?.good && read.clause.front.length === 0 && !known(read.clause)) clauses.push(read.clause)
  }
}

function phraseBefore(tokens: Token[], end: number): Phrase | undefined {
  let start = end
  while (
    start > 0 &&
    end - start < 6 &&
    /^(NOUN|PROPN|ADJ|NUM|DET)$/.test(at(tokens, start - 1).p) &&
    at(tokens, start).p !== 'DET'
  )
    start--
  const phrase = start < end ? phraseAt(tokens, start, false) : undefined
  return phrase?.b === end ? phrase : undefined
}

type Read = { clause: Clause; end: number; good: boolean }

function continueAfter(tokens: Token[], end: number, clause: Clause, clauses: Clause[]): number {
  let index = end
  if (at(tokens, index).w === ',') index++
  const token = at(tokens, index)
  if (/^(which|who)$/.test(token.l)) {
    const before = clause.elements.at(-1)?.phrase
    relativeClause(tokens, index, before, clauses)
    return -1
  }
  if (token.w === ';') return index + 1
  if (token.p !== 'CCONJ' && token.l !== 'so') return -1
  index++
  const verb = groupAt(tokens, index)
  if (!verb) return index
  if (verb.aux.length === 0 && verb.form === 'base' && clause.verb.aux.length > 0) return -1
  if (
    verb.aux.length === 0 &&
    !verb.copula &&
    (verb.form === 'participle' || (clause.verb.passive && verb.form === 'past'))
  )
    return -1
  if (verb.form === 'gerund' && verb.aux.length === 0) return -1
  if (verb.aux.length === 0 && clause.verb.aux.length > 0) return -1
  const rest = elementsAt(tokens, verb.b)
  if (rest.good && agrees(tokens, clause.subject, verb)) {
    const { apposition: _dropped, ...shared } = clause
    clauses.push({ ...shared, front: [], verb, elements: rest.elements, order: clauses.length })
  }
  return rest.end > index ? continueAfter(tokens, rest.end, clause, clauses) : -1
}

function relativeClause(tokens: Token[], index: number, phrase: Phrase | undefined, clauses: Clause[]): number {
  const verb = groupAt(tokens, index + 1)
  if (!verb || !phrase || (phrase.parts.length > 1 && at(tokens, index).l === 'who')) return -1
  const rest = elementsAt(tokens, verb.b)
  if (rest.good && agrees(tokens, phrase, verb)) {
    clauses.push({
      tokens,
      front: [],
      subject: phrase,
      subjectEnd: phrase.b,
      pronoun: false,
      verb,
      elements: rest.elements,
      relative: true,
      order: 9,
    })
  }
  return rest.end
}

function clauseAt(tokens: Token[], from: number, order: number): Read | undefined {
  const { front, next } = frontOf(tokens, from)
  const subject = subjectAt(tokens, next)
  if (!subject) return undefined
  const after = afterSubject(tokens, subject)
  if (!after) return undefined
  if (!agrees(tokens, subject, after.verb)) return undefined
  const rest = elementsAt(tokens, after.verb.b)
  const { verb } = after
  if (verb.form === 'past' && verb.aux.length === 0 && !verb.copula && rest.elements[0]?.word === 'by') return undefined
  const clause: Clause = {
    tokens,
    front,
    subject,
    subjectEnd: after.subjectEnd,
    pronoun: at(tokens, subject.a).p === 'PRON' && subject.b === subject.a + 1,
    verb: after.verb,
    elements: rest.elements,
    relative: false,
    order,
    ...(after.apposition ? { apposition: after.apposition } : {}),
  }
  return {
    clause,
    end: rest.end,
    good: (rest.good && after.verb.form !== 'gerund') || (rest.good && after.verb.aux.length > 0),
  }
}

/** Number of subject and verb; a verb like "cut" after a singular is in the past. */
function agrees(tokens: Token[], subject: Phrase, verb: Group): boolean {
  if (verb.aux.length > 0 || verb.copula)
    return !(subject.plural && /^(is|was|has|does)$/.test(verb.aux[0] ?? verb.main.l))
  const head = at(tokens, subject.head)
  const plural = subject.plural || /^(you|we|i|they)$/.test(head.l)
  if (verb.form === 'third') return !plural
  if (
    verb.form === 'base' &&
    pastOf(verb.base) === verb.base &&
    tokens.some((token) => /^(was|were|had)$/.test(token.l) || (token.p === 'VERB' && token.l.endsWith('ed')))
  )
    verb.form = 'past'
  if (verb.form !== 'base' || plural || head.p === 'ADJ') return true
  if (pastOf(verb.base) !== verb.base) return false
  verb.form = 'past'
  return true
}

function subjectAt(tokens: Token[], index: number): Phrase | undefined {
  const token = at(tokens, index)
  if (
    token.p === 'PRON' ||
    (token.p === 'DET' && /^(this|these)$/.test(token.l) && /^(AUX|VERB)$/.test(at(tokens, index + 1).p))
  ) {
    if (!pronouns.test(token.l)) return phraseAt(tokens, index, true, true)
    return {
      a: index,
      b: index + 1,
      head: index,
      core: index + 1,
      parts: [[index, index + 1]],
      plural: /^(they|we|these|those)$/.test(token.l),
    }
  }
  return phraseAt(tokens, index, true, true)
}

function frontPhrase(tokens: Token[], index: number): Phrase | undefined {
  const single = phraseAt(tokens, index, false)
  if (!single || at(tokens, single.b).w === ',') return single
  return phraseAt(tokens, index)
}

/** What stands before the subject: phrases of time and place, clauses, adverbs. */
function frontOf(tokens: Token[], from: number): { front: Element[]; next: number } {
  const front: Element[] = []
  let index = from
  for (let guard = 0; guard < 4; guard++) {
    const token = at(tokens, index)
    if (token.w === ',') {
      index++
      continue
    }
    if ((token.p === 'CCONJ' || token.p === 'ADV') && !/^(when|where|why|how)$/.test(token.l)) {
      index++
      continue
    }
    const timePhrase = /^(DET|ADJ|NUM)$/.test(token.p) ? simplePhrase(tokens, index) : undefined
    if (
      timePhrase &&
      timeNouns.has(at(tokens, timePhrase.head).l) &&
      /^(DET|PROPN|PRON|NOUN|NUM|ADJ|PUNCT|ADV)$/.test(at(tokens, timePhrase.b).p) &&
      !/^(AUX|VERB)$/.test(at(tokens, timePhrase.b + 1).p)
    ) {
      index = timePhrase.b
      continue
    }
    const preposition = prepositionAt(tokens, index)
    if (preposition) {
      const phrase = frontPhrase(tokens, index + preposition.length)
      if (phrase && !/^(AUX|VERB)$/.test(at(tokens, phrase.b).p)) {
        front.push({ type: 'pp', a: index, b: phrase.b, word: preposition.word, phrase, comma: false })
        index = phrase.b
        continue
      }
    }
    if (
      preposition ||
      token.p === 'SCONJ' ||
      /^(when|because|although|if|while|since|as)$/.test(token.l) ||
      (token.p === 'VERB' && /(ing|ed)$/.test(token.l)) ||
      (token.l === 'to' && at(tokens, index + 1).p === 'VERB')
    ) {
      const comma = tokens.findIndex((item, place) => place > index && item.w === ',')
      if (comma < 0) break
      const type = token.p === 'VERB' ? 'part' : token.l === 'to' ? 'inf' : 'sub'
      front.push({ type, a: index, b: comma, word: token.l, comma: true })
      index = comma + 1
      continue
    }
    break
  }
  return { front, next: index }
}

type After = { verb: Group; subjectEnd: number; apposition?: Phrase }

/** From the end of the subject to the verb: further phrases, an apposition, a relative clause between commas. */
function afterSubject(tokens: Token[], subject: Phrase): After | undefined {
  let end = subject.b
  let subjectEnd = subject.b
  let apposition: Phrase | undefined
  for (let guard = 0; guard < 4; guard++) {
    const token = at(tokens, end)
    if (token.w === ',') {
      const next = at(tokens, end + 1)
      const close = tokens.findIndex((item, place) => place > end + 1 && item.w === ',')
      if (close < 0) return undefined
      const aside = /^(VERB|ADV|ADP|SCONJ)$/.test(next.p) && close - end < 12
      if (aside || /^(who|which|whose|where|including|along|as|like|such)$/.test(next.l)) end = close + 1
      else {
        const phrase = phraseAt(tokens, end + 1, false)
        if (!phrase || close - phrase.b > 8) return undefined
        apposition = { ...phrase, b: close }
        end = close + 1
      }
      continue
    }
    const preposition = prepositionAt(tokens, end)
    if (preposition && end === subjectEnd) {
      const phrase = phraseAt(tokens, end + preposition.length)
      if (!phrase) return undefined
      end = phrase.b
      subjectEnd = end
      continue
    }
    if (/^(who|that|which)$/.test(token.l) && end === subjectEnd) {
      const restrictive = restrictiveEnd(tokens, end + 1)
      if (restrictive < 0) return undefined
      end = restrictive
      subjectEnd = end
    }
    break
  }
  const verb = groupAt(tokens, end)
  if (!verb) return undefined
  const reduced =
    verb.aux.length === 0 && verb.form === 'past' && end === subjectEnd ? restrictiveEnd(tokens, end, true) : -1
  if (reduced > 0) {
    const main = groupAt(tokens, reduced)
    if (!main || (main.aux.length === 0 && main.form !== 'past')) return { verb, subjectEnd }
    return { verb: main, subjectEnd: reduced }
  }
  return { verb, subjectEnd, ...(apposition ? { apposition } : {}) }
}

/** The end of a verb with its objects when a finite verb follows at once (a clause inside the subject). */
function restrictiveEnd(tokens: Token[], from: number, participle = false): number {
  const verb = groupAt(tokens, from)
  if (!verb) return -1
  let index = verb.b
  for (let guard = 0; guard < 5; guard++) {
    if (at(tokens, index).p === 'ADV') index++
    const token = at(tokens, index)
    if (token.p === 'AUX' || (token.p === 'VERB' && !/ing$/.test(token.l)))
      return participle && guard === 0 ? -1 : index
    const preposition = prepositionAt(tokens, index)
    const phrase = phraseAt(tokens, index + (preposition?.length ?? 0))
    if (!phrase || (participle && !preposition)) return -1
    index = phrase.b
  }
  return -1
}
