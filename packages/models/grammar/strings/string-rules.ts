// Rules for JSON strings whose text a regular expression allows. Every letter is written in one way only, as
// JSON.stringify does: so two texts that differ here differ when read, too.
import { type CharRange, chars, choice, type Expression, never, nothing, rule, sequence, text } from '../gbnf.ts'
import type { GrammarBuilder } from '../grammar-builder.ts'
import { quoted, rawChars } from '../json-text.ts'
import { explore, type Move, type State } from './automaton.ts'
import { intersection } from './char-sets.ts'
import type { Regex, RegexFactory } from './regex.ts'

const escapedCodes = [...Array.from({ length: 0x20 }, (_, code) => code), 0x22, 0x5c]

export function stringOf(builder: GrammarBuilder, factory: RegexFactory, regex: Regex): Expression {
  const states = explore(factory, regex)
  const used = stateUses(states)
  const names = states.map((_, number) => (isOwnRule(states, used, number) ? builder.reserve('text') : undefined))
  const inlined = new Map<number, Expression>()
  // From the last to the first: most moves lead to later states.
  for (let number = states.length - 1; number >= 0; number -= 1) {
    const expression = fromState(builder, states, number, (to) => names[to], inlined)
    const name = names[number]
    if (name === undefined) inlined.set(number, expression)
    else builder.define(name, expression)
  }
  return quoted(rule(names[0] ?? ''))
}

function stateUses(states: State[]): number[] {
  const uses = states.map(() => 0)
  for (const { moves } of states) for (const { to } of moves) uses[to] = (uses[to] ?? 0) + 1
  return uses
}

/** A state met once with one way on is written where it is met: a long literal stays one literal. */
function isOwnRule(states: State[], uses: number[], number: number): boolean {
  const state = states[number]
  if (number === 0 || !state || uses[number] !== 1) return true
  const leadsForward = state.moves.every(({ to }) => to > number)
  return state.ends ? state.moves.length > 0 : state.moves.length !== 1 || !leadsForward
}

function fromState(
  builder: GrammarBuilder,
  states: State[],
  number: number,
  name: (to: number) => string | undefined,
  inlined: Map<number, Expression>,
): Expression {
  const state = states[number]
  if (!state) return nothing
  const ways = state.moves.map((move: Move) => {
    const next = name(move.to)
    return sequence(letter(builder, move.ranges), next === undefined ? (inlined.get(move.to) ?? nothing) : rule(next))
  })
  return choice(...ways, ...(state.ends ? [nothing] : []))
}

/** One of the letters. Escapes are tried as few ways on, not as one way each: the sampler follows every way. */
function letter(builder: GrammarBuilder, ranges: readonly CharRange[]): Expression {
  const [only] = ranges
  const isPlain = ranges.length === 1 && only && only[0] === only[1] && only[0] > 0x20 && only[0] < 0x7f
  if (isPlain && !escapedCodes.includes(only[0])) return text(String.fromCodePoint(only[0]))
  return builder.shared(`letter ${ranges.join(' ')}`, 'letter', () => anyLetter(ranges))
}

function anyLetter(ranges: readonly CharRange[]): Expression {
  const raw = intersection(ranges, rawChars)
  const [first] = raw
  const escapes = escapedCodes
    .filter((code) => ranges.some(([from, to]) => from <= code && code <= to))
    .map((code) => JSON.stringify(String.fromCodePoint(code)).slice(2, -1))
  const behind = (start: string) =>
    escapes.filter((letters) => letters.startsWith(start)).map((letters) => letters.slice(start.length))
  const written = sequence(
    text('\\'),
    choice(
      oneOf(escapes.filter((letters) => letters.length === 1)),
      sequence(text('u000'), oneOf(behind('u000'))),
      sequence(text('u001'), oneOf(behind('u001'))),
    ),
  )
  if (!first) return written
  const one = raw.length === 1 && first[0] === first[1]
  return choice(one ? text(String.fromCodePoint(first[0])) : chars(...raw), written)
}

const oneOf = (options: string[]): Expression => {
  const codes = options.map((char): CharRange => [char.charCodeAt(0), char.charCodeAt(0)])
  return options.length === 0 ? never : chars(...codes)
}
