// `--name=value` between an instruction and its arguments.
import type { EscapeCharacter } from './dockerfile.ts'
import { Wrong } from './problem.ts'

/** `list`: may be given several times. */
export type FlagKind = 'text' | 'switch' | 'list'

export class Flags {
  readonly #given = new Map<string, string[]>()
  /** What follows them, and where. */
  readonly rest: string
  readonly restOffset: number

  constructor(line: string, known: Readonly<Record<string, FlagKind>>, escapedBy: EscapeCharacter) {
    let at = 0
    for (;;) {
      at += /^\s*/.exec(line.slice(at))?.[0].length ?? 0
      if (!line.startsWith('--', at)) break
      const { word, end } = cutFlag(line, at, escapedBy)
      if (word === '--') {
        at = end
        break
      }
      this.#take(word, known, at)
      at = end
    }
    at += /^\s*/.exec(line.slice(at))?.[0].length ?? 0
    this.rest = line.slice(at)
    this.restOffset = at
  }

  text(name: string): string {
    return this.#given.get(name)?.[0] ?? ''
  }

  list(name: string): string[] {
    return this.#given.get(name) ?? []
  }

  /** Undefined: not given. */
  switch(name: string): boolean | undefined {
    const value = this.#given.get(name)?.[0]
    return value === undefined ? undefined : value !== 'false'
  }

  #take(word: string, known: Readonly<Record<string, FlagKind>>, offset: number): void {
    const cut = word.indexOf('=')
    const flag = cut === -1 ? word : word.slice(0, cut)
    const value = cut === -1 ? undefined : word.slice(cut + 1)
    const name = flag.slice(2)
    const kind = Object.hasOwn(known, name) ? known[name] : undefined
    if (kind === undefined) throw new Wrong(`unknown flag: ${flag}`, offset)
    const before = this.#given.get(name) ?? []
    if (before.length > 0 && kind !== 'list') throw new Wrong(`duplicate flag specified: ${flag}`, offset)
    if (kind === 'switch') {
      if (value === '') throw new Wrong(`missing a value on flag: ${flag}`, offset)
      const said = (value ?? 'true').toLowerCase()
      if (said !== 'true' && said !== 'false') {
        throw new Wrong(`expecting boolean value for flag ${flag}, not: ${value}`, offset)
      }
      this.#given.set(name, [said])
      return
    }
    if (value === undefined) throw new Wrong(`missing a value on flag: ${flag}`, offset)
    this.#given.set(name, [...before, value])
  }
}

/** Quotes and escapes are for the reader: they are not part of the flag. */
function cutFlag(line: string, from: number, escapedBy: EscapeCharacter): { word: string; end: number } {
  let word = ''
  let quote = ''
  let at = from
  for (; at < line.length; at++) {
    const character = line.charAt(at)
    if (quote === '' && /\s/.test(character)) break
    if (character === quote) quote = ''
    else if (quote === '' && (character === '"' || character === "'")) quote = character
    else if (character === escapedBy && quote !== "'") word += line.charAt(++at)
    else word += character
  }
  return { word, end: Math.min(at, line.length) }
}
