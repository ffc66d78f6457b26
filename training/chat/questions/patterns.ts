import { items, literal, type Random } from './build.ts'
import { at, type Kind, kindOf, type Phrase, phraseAt, simplePhrase, textOf } from './phrases.ts'
import { pick, type Raw } from './raw.ts'
import { withoutParentheses } from './sentences.ts'
import type { Token } from './tokens.ts'

/** Questions that need no clause: abbreviations, appositions, names of things. */
export function patterns(source: Token[], persons: Set<string>, random: Random): Raw[] {
  const found: Raw[] = []
  abbreviations(source, random, found)
  const tokens = withoutParentheses(source)
  appositions(tokens, persons, random, found)
  namings(tokens, random, found)
  examples(tokens, random, found)
  return found
}

function abbreviations(tokens: Token[], random: Random, found: Raw[]): void {
  for (let index = 2; index < tokens.length - 2; index++) {
    const short = at(tokens, index + 1)
    if (at(tokens, index).w !== '(' || at(tokens, index + 2).w !== ')' || !/^[A-Z][A-Z0-9&]{1,6}s?$/.test(short.w))
      continue
    const letters = short.w.replace(/[^A-Z]/g, '')
    for (let start = Math.max(0, index - letters.length - 3); start < index; start++) {
      const initials = tokens
        .slice(start, index)
        .filter((token) => !/^(of|the|and|for|in|on|to|a)$/.test(token.l))
        .flatMap((token) => token.w.split('-'))
        .map((part) => part.charAt(0).toUpperCase())
        .join('')
      if (initials !== letters || /^(of|the|and|for|a|an|in|on|to)$/.test(at(tokens, start).l)) continue
      const long = textOf(tokens, start, index)
      const wh = pick(random, [
        `What does ${short.w} stand for`,
        `What does the abbreviation ${short.w} stand for`,
        `What is ${short.w} short for`,
        `What is the full form of ${short.w}`,
        `${short.w} stands for what`,
      ])
      found.push({
        items: literal(wh),
        answer: long,
        kind: 'stands-for',
        full: literal(`${short.w} stands for ${long}`),
      })
      const lower = items(tokens, start, index)
      found.push({
        items: [
          ...literal(
            pick(random, ['What is the abbreviation for', 'What is the acronym for', 'What is the short form of']),
          ),
          ...lower,
        ],
        answer: short.w,
        kind: 'stands-for',
      })
      break
    }
  }
}

const isName = (tokens: Token[], phrase: Phrase): boolean =>
  at(tokens, phrase.head).p === 'PROPN' && at(tokens, phrase.a).p === 'PROPN'

function appositions(tokens: Token[], persons: Set<string>, random: Random, found: Raw[]): void {
  const past =
    tokens.some((token) => /^(was|were|had)$/.test(token.l)) ||
    tokens.some((token) => token.p === 'VERB' && token.l.endsWith('ed'))
  for (let index = 1; index < tokens.length - 3; index++) {
    if (at(tokens, index).w !== ',' || at(tokens, index - 1).p !== 'PROPN') continue
    let start = index - 1
    while (start > 0 && at(tokens, start - 1).p === 'PROPN') start--
    const name = simplePhrase(tokens, start)
    const described = phraseAt(tokens, index + 1, false)
    if (
      !name ||
      name.b !== index ||
      !isName(tokens, name) ||
      !described ||
      !/^(a|an|the)$/.test(at(tokens, index + 1).l)
    )
      continue
    const kind: Kind = kindOf(tokens, name, persons)
    if (kind !== 'person' && kind !== 'thing' && kind !== 'named') continue
    const before = at(tokens, start - 1)
    if (before.w === ',' || before.l === 'and' || /^(NUM|ADJ)$/.test(before.p)) continue
    let end = described.b
    while (end < tokens.length && !/^[,.;:"]$/.test(at(tokens, end).w) && end - described.b < 10) end++
    if (
      !/^[,.]$/.test(at(tokens, end).w) ||
      at(tokens, end + 1).l === 'and' ||
      tokens.slice(described.b, end).some((token) => token.p === 'AUX' || (token.p === 'VERB' && end - described.b > 6))
    )
      continue
    const description = textOf(tokens, described.a, end)
    const person = kind === 'person' || persons.has(at(tokens, name.head).w)
    const is = past ? 'was' : 'is'
    const text = textOf(tokens, name.a, name.b)
    found.push({
      items: literal(`${person ? 'Who' : 'What'} ${is} ${text}`),
      answer: description,
      kind: 'apposition',
      full: literal(`${text} ${is} ${description}`),
    })
    if (at(tokens, described.a).l === 'the')
      found.push({
        items: [...literal(`${person ? 'Who' : 'What'} ${is}`), ...items(tokens, described.a, end)],
        answer: text,
        kind: 'apposition',
        full: literal(`${text} ${is} ${description}`),
      })
    else if (random() < 0.6)
      found.push({
        items: [
          ...literal(`What was the name of`),
          ...items(tokens, described.a, end).map((item, place) => (place === 0 ? { ...item, w: 'the' } : item)),
          ...literal('mentioned in the text'),
        ].slice(0, end - described.a + 5),
        answer: text,
        kind: 'apposition',
      })
  }
}

/** "a process called X", "the theory known as X" */
function namings(tokens: Token[], random: Random, found: Raw[]): void {
  for (let index = 1; index < tokens.length - 1; index++) {
    const verb = at(tokens, index)
    const length =
      verb.l === 'called' || verb.l === 'named' || verb.l === 'termed'
        ? 1
        : verb.l === 'known' && at(tokens, index + 1).l === 'as'
          ? 2
          : 0
    const before = at(tokens, index - 1)
    if (length === 0 || !/^(NOUN)$/.test(before.p)) continue
    const name = phraseAt(tokens, index + length, false)
    if (!name || name.b - name.a > 6 || !/^[,.;]$/.test(at(tokens, name.b).w)) continue
    let start = index - 1
    while (
      start > 0 &&
      /^(NOUN|ADJ|DET|ADP)$/.test(at(tokens, start - 1).p) &&
      index - start < 9 &&
      !/^(in|by|with|from|through|as|for|on|to|into|at)$/.test(at(tokens, start - 1).l)
    )
      start--
    const described = phraseAt(tokens, start, false)
    if (!described || described.b !== index || described.b - described.a < 3) continue
    const list = items(tokens, described.a, described.b)
    const first = list[0] as { w: string }
    if (/^(its|his|her|their|this|these|those|that|our|such)$/.test(first.w)) continue
    const theList = /^(an?|some)$/.test(first.w)
      ? list.map((item, place) => (place === 0 ? { ...item, w: 'the' } : item))
      : list
    const answer = textOf(tokens, name.a, name.b)
    const plural = described.plural ? 'were' : 'was'
    const forms = [
      [...literal('What is the name of'), ...theList],
      [...literal(described.plural ? 'What are' : 'What is'), ...theList, ...literal('called')],
      [...theList, ...literal(`${plural} called what`)],
      [...literal('What name is given to'), ...theList],
    ]
    found.push({ items: pick(random, forms), answer, kind: 'called' })
  }
}

/** "metals such as iron, copper, and gold" */
function examples(tokens: Token[], random: Random, found: Raw[]): void {
  for (let index = 2; index < tokens.length - 3; index++) {
    const such = at(tokens, index).l === 'such' && at(tokens, index + 1).l === 'as'
    const including = at(tokens, index).l === 'including'
    if (!such && !including) continue
    const before = at(tokens, index - 1).w === ',' ? index - 1 : index
    if (including && before < index && (at(tokens, before - 1).p === 'PROPN' || random() < 0.5)) continue
    let start = before - 1
    while (start > 0 && /^(NOUN|ADJ)$/.test(at(tokens, start - 1).p)) start--
    const general = simplePhrase(tokens, start)
    const list = phraseAt(tokens, index + (such ? 2 : 1))
    if (
      !general ||
      general.b !== before ||
      !general.plural ||
      general.b - general.a < 2 ||
      !list ||
      list.parts.length < 2
    )
      continue
    const last = list.parts.at(-1) as [number, number]
    if (
      /^(other|such|these|those)$/.test(at(tokens, general.a).l) ||
      /^(his|her|its|their|our|your|my)$/.test(at(tokens, list.a).l)
    )
      continue
    if (last[1] - last[0] > 5 || /^(other|others|more)$/.test(at(tokens, last[0]).l)) continue
    const what = items(tokens, general.a, general.b)
    const one = list.parts[Math.floor(random() * list.parts.length)] as [number, number]
    const wh = pick(random, [
      'What is an example of',
      'Name one example of',
      'What is one of the',
      'Give an example of',
    ])
    found.push({
      items: [...literal(wh), ...what],
      answer: textOf(tokens, one[0], one[1]),
      kind: 'example',
      plain: wh.startsWith('Name') || wh.startsWith('Give'),
    })
    const all = pick(random, ['What are some examples of', 'Which', 'What'])
    found.push({
      items: [...literal(all), ...what, ...(all.startsWith('What are') ? [] : literal('are mentioned'))],
      answer: textOf(tokens, list.a, list.b),
      kind: 'example',
    })
  }
}
