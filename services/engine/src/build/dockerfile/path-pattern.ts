// Patterns for paths, of two kinds: those of COPY (as shells know them), and those of .dockerignore, which also have
// `**` for any number of folders.
import { Automaton, type Step } from './automaton.ts'
import { Wrong } from './problem.ts'

export interface PathPattern {
  matches(path: string): boolean
}

const maxPatternLength = 4_096

export function readPathPattern(pattern: string, { hasFolders }: { hasFolders: boolean }): PathPattern {
  if (pattern.length > maxPatternLength) throw new Wrong(`a pattern of more than ${maxPatternLength} characters`)
  if (!/[*?[\\]/.test(pattern)) return { matches: (path) => path === pattern }
  const steps = new Reader(pattern, hasFolders).read()
  return { matches: (path) => new Automaton(steps).isMatch([...path]) }
}

class Reader {
  readonly #pattern: string
  readonly #characters: string[]
  readonly #hasFolders: boolean
  #at = 0

  constructor(pattern: string, hasFolders: boolean) {
    this.#pattern = pattern
    this.#characters = [...pattern]
    this.#hasFolders = hasFolders
  }

  read(): Step[] {
    const steps: Step[] = []
    while (this.#at < this.#characters.length) steps.push(...this.#step())
    return steps
  }

  #wrong(): Wrong {
    return new Wrong(`syntax error in pattern ${this.#pattern}`)
  }

  #take(): string {
    return this.#characters[this.#at++] ?? ''
  }

  #step(): Step[] {
    const character = this.#take()
    if (character === '*') return this.#star()
    if (character === '?') return [{ kind: 'one', inPath: true }]
    if (character === '[') return [this.#class()]
    if (character !== '\\') return [{ kind: 'character', character }]
    const escaped = this.#take()
    if (escaped === '') throw this.#wrong()
    return [{ kind: 'character', character: escaped }]
  }

  #star(): Step[] {
    if (!this.#hasFolders || this.#characters[this.#at] !== '*') return [{ kind: 'star', inPath: true }]
    this.#at += 1
    if (this.#characters[this.#at] === '/') this.#at += 1
    if (this.#at >= this.#characters.length) return [{ kind: 'star' }]
    return [{ kind: 'folders' }, { kind: 'folders-inside' }]
  }

  /** `[a-z]`, `[^a-z]`. */
  #class(): Step {
    const isNegated = this.#characters[this.#at] === '^'
    if (isNegated) this.#at += 1
    const ranges: [string, string][] = []
    while (this.#characters[this.#at] !== ']' || ranges.length === 0) {
      const low = this.#classCharacter()
      let high = low
      if (this.#characters[this.#at] === '-') {
        this.#at += 1
        high = this.#classCharacter()
      }
      if (high < low) throw this.#wrong()
      ranges.push([low, high])
    }
    this.#at += 1
    return { kind: 'class', holds: (it) => ranges.some(([low, high]) => low <= it && it <= high) !== isNegated }
  }

  #classCharacter(): string {
    const character = this.#take()
    if (character === '-' || character === ']') throw this.#wrong()
    const meant = character === '\\' ? this.#take() : character
    if (meant === '') throw this.#wrong()
    return meant
  }
}
