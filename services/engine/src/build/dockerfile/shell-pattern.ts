// The patterns of `${name#pattern}`, `%` and `/`: `*` is anything, `?` one character. Matched without going back, so
// no pattern takes longer than its length times the value's.
import { Automaton, type Step } from './automaton.ts'
import { Wrong } from './problem.ts'

export class ShellPattern {
  readonly #steps: Step[]

  constructor(steps: Step[]) {
    this.#steps = steps
  }

  withoutPrefix(value: string, isLongest: boolean): string {
    const characters = [...value]
    const ends = new Automaton(this.#steps).ends(characters)
    const end = isLongest ? ends.at(-1) : ends[0]
    return end === undefined ? value : characters.slice(end).join('')
  }

  withoutSuffix(value: string, isLongest: boolean): string {
    const backwards = new ShellPattern([...this.#steps].reverse())
    const turned = [...value].reverse().join('')
    return [...backwards.withoutPrefix(turned, isLongest)].reverse().join('')
  }

  /** The longest that fits, from the left. */
  replace(value: string, replacement: string, isEverywhere: boolean): string {
    const characters = [...value]
    const automaton = new Automaton(this.#steps)
    let text = ''
    let at = 0
    while (at <= characters.length) {
      const end = automaton.ends(characters, at).at(-1)
      if (end === undefined || end === at) {
        text += characters[at] ?? ''
        at += 1
        continue
      }
      text += replacement
      at = end
      if (!isEverywhere) break
    }
    return text + characters.slice(at).join('')
  }
}

export function readShellPattern(text: string): ShellPattern {
  const steps: Step[] = []
  const characters = [...text]
  for (let at = 0; at < characters.length; at++) {
    const character = characters[at] ?? ''
    if (character === '*') steps.push({ kind: 'star' })
    else if (character === '?') steps.push({ kind: 'one' })
    else if (character === '\\') {
      const escaped = characters[++at] ?? ''
      if (!['*', '?', '\\', '/', '}'].includes(escaped)) {
        throw new Wrong(`invalid pattern (${text}) in substitution: invalid escape '\\${escaped}'`)
      }
      steps.push({ kind: 'character', character: escaped })
    } else steps.push({ kind: 'character', character })
  }
  return new ShellPattern(steps)
}
