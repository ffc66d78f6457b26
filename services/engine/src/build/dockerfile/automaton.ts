// Patterns matched by following all their steps at once: never slower than the pattern's length times the text's,
// however many stars it has.
import { Wrong } from './problem.ts'

export type Step =
  | { kind: 'character'; character: string }
  /** Any one character, in paths no `/`. */
  | { kind: 'one'; inPath?: boolean }
  /** Any number of characters, in paths no `/`. */
  | { kind: 'star'; inPath?: boolean }
  | { kind: 'class'; holds(character: string): boolean }
  /** Nothing, or anything that ends with `/`; always followed by `folders-inside`. */
  | { kind: 'folders' }
  | { kind: 'folders-inside' }

const maxWork = 5_000_000

export class Automaton {
  readonly #steps: readonly Step[]
  #work = 0

  constructor(steps: readonly Step[]) {
    this.#steps = steps
  }

  /** Whether it is the pattern from its first to its last character. */
  isMatch(characters: readonly string[]): boolean {
    return this.ends(characters).at(-1) === characters.length
  }

  /** Where something that fits the pattern ends, of what begins at `from`. */
  ends(characters: readonly string[], from = 0): number[] {
    const last = this.#steps.length
    const found: number[] = []
    let states = this.#with(new Set(), 0)
    if (states.has(last)) found.push(from)
    for (let at = from; at < characters.length && states.size > 0; at++) {
      states = this.#after(states, characters[at] ?? '')
      if (states.has(last)) found.push(at + 1)
    }
    return found
  }

  #after(states: ReadonlySet<number>, character: string): Set<number> {
    this.#work += states.size
    if (this.#work > maxWork) throw new Wrong('a pattern that takes too long to match')
    const next = new Set<number>()
    for (const state of states) {
      const step = this.#steps[state]
      if (step === undefined || step.kind === 'folders') continue
      if (step.kind === 'folders-inside') {
        next.add(state)
        if (character === '/') this.#with(next, state + 1)
      } else if (fits(step, character)) this.#with(next, step.kind === 'star' ? state : state + 1)
    }
    return next
  }

  /** With everything that is reached without a character. */
  #with(states: Set<number>, first: number): Set<number> {
    for (let state = first; !states.has(state); state++) {
      states.add(state)
      const kind = this.#steps[state]?.kind
      if (kind === 'folders') {
        states.add(state + 1)
        state += 1
      } else if (kind !== 'star') break
    }
    return states
  }
}

function fits(step: Step, character: string): boolean {
  switch (step.kind) {
    case 'character':
      return step.character === character
    case 'class':
      return character !== '/' && step.holds(character)
    case 'one':
    case 'star':
      return !(step.inPath === true && character === '/')
    default:
      return false
  }
}
