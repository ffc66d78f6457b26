// All the states a text can be in while it is read against a regular expression.
import type { CharRange } from '../gbnf.ts'
import { GrammarTooLarge } from '../grammar-builder.ts'
import { cuts, lastCodePoint, type Regex, type RegexFactory } from './regex.ts'

/** Of one expression. */
const maxStates = 4_000

export interface Move {
  ranges: CharRange[]
  to: number
}

export interface State {
  /** The text may end here. */
  ends: boolean
  /** By disjoint letters. */
  moves: Move[]
}

/** The first state is the start. States from which no end can be reached are not moved to. */
export function explore(factory: RegexFactory, regex: Regex): State[] {
  const numbers = new Map<Regex, number>([[regex, 0]])
  const states: State[] = []
  for (const [current] of numbers) {
    factory.spendState()
    const moves = new Map<Regex, CharRange[]>()
    for (const [next, range] of steps(factory, current)) {
      if (next.op === 'none') continue
      moves.set(next, [...(moves.get(next) ?? []), range])
      if (!numbers.has(next)) numbers.set(next, numbers.size)
      if (numbers.size > maxStates) throw new GrammarTooLarge('The pattern has too many states.')
    }
    states.push({
      ends: current.empty,
      moves: [...moves].map(([next, ranges]) => ({ ranges: joined(ranges), to: numbers.get(next) ?? 0 })),
    })
  }
  return withoutDeadEnds(states)
}

function steps(factory: RegexFactory, regex: Regex): [Regex, CharRange][] {
  const starts = cuts(regex)
  return starts.map((from, index) => [factory.after(regex, from), [from, (starts[index + 1] ?? lastCodePoint + 1) - 1]])
}

function joined(ranges: CharRange[]): CharRange[] {
  const result: CharRange[] = []
  for (const [from, to] of ranges) {
    const last = result.at(-1)
    if (last && last[1] + 1 === from) result[result.length - 1] = [last[0], to]
    else result.push([from, to])
  }
  return result
}

function withoutDeadEnds(states: State[]): State[] {
  const before = states.map((): number[] => [])
  for (const [from, { moves }] of states.entries()) for (const { to } of moves) before[to]?.push(from)
  const alive = new Set<number>(states.flatMap(({ ends }, number) => (ends ? [number] : [])))
  for (const number of alive) for (const from of before[number] ?? []) alive.add(from)
  return states.map(({ ends, moves }) => ({ ends, moves: moves.filter(({ to }) => alive.has(to)) }))
}
