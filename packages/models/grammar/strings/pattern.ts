// Reads the `pattern` of a JSON Schema: a JavaScript regular expression with the u flag. What no regular grammar can
// hold to (looking ahead, back references, word boundaries) or is rare (properties of letters) is not read.
import type { CharRange } from '../gbnf.ts'
import { caseless, complement, type EscapeClass, escapeClasses, union } from './char-sets.ts'
import type { Regex, RegexFactory } from './regex.ts'

/** `message` completes "The pattern …". */
export class PatternNotSupported extends Error {}

/** Larger counts make grammars too large. */
const maxRepetitions = 5_000
const maxPatternLength = 2_000

/** The texts that the pattern finds a match in. */
export function readPattern(factory: RegexFactory, pattern: string): Regex {
  try {
    new RegExp(pattern, 'u')
  } catch (error) {
    throw new PatternNotSupported(
      `is not a valid regular expression: ${error instanceof Error ? error.message : error}`,
    )
  }
  if (pattern.length > maxPatternLength) throw new PatternNotSupported(`is longer than ${maxPatternLength} characters`)
  return new PatternReader(factory, [...pattern]).whole()
}

class PatternReader {
  readonly #factory: RegexFactory
  readonly #chars: string[]
  #at = 0

  constructor(factory: RegexFactory, chars: string[]) {
    this.#factory = factory
    this.#chars = chars
  }

  whole(): Regex {
    const branches: Regex[] = []
    do {
      const fromStart = this.#skip('^')
      const body = this.#sequence()
      const toEnd = this.#skip('$')
      const around = (anchored: boolean) => (anchored ? this.#factory.end : this.#factory.anyText)
      branches.push(this.#factory.sequence(around(fromStart), this.#factory.sequence(body, around(toEnd))))
    } while (this.#skip('|'))
    if (this.#at < this.#chars.length) throw new PatternNotSupported('uses ^ or $ inside, which is not supported')
    return this.#factory.or(branches)
  }

  #alternatives(): Regex {
    const branches: Regex[] = []
    do branches.push(this.#sequence())
    while (this.#skip('|'))
    return this.#factory.or(branches)
  }

  #sequence(): Regex {
    let result = this.#factory.end
    for (let next = this.#peek(); next !== undefined && !'|)$'.includes(next); next = this.#peek()) {
      result = this.#factory.sequence(result, this.#quantified(this.#atom()))
    }
    return result
  }

  #quantified(part: Regex): Regex {
    const [min, max] = this.#quantifier()
    // Lazy or not, the texts are the same.
    if (min !== 1 || max !== 1) this.#skip('?')
    const most = Number.isFinite(max) ? max : min
    if (most > maxRepetitions) throw new PatternNotSupported(`repeats something more than ${maxRepetitions} times`)
    return this.#factory.repeat(part, min, max)
  }

  #quantifier(): [min: number, max: number] {
    if (this.#skip('*')) return [0, Number.POSITIVE_INFINITY]
    if (this.#skip('+')) return [1, Number.POSITIVE_INFINITY]
    if (this.#skip('?')) return [0, 1]
    if (!this.#skip('{')) return [1, 1]
    const [min = '', max] = this.#until('}').split(',')
    if (max === undefined) return [Number(min), Number(min)]
    return [Number(min), max === '' ? Number.POSITIVE_INFINITY : Number(max)]
  }

  #atom(): Regex {
    const char = this.#next()
    if (char === '(') return this.#group()
    if (char === '[') return this.#factory.chars(this.#class())
    if (char === '.') return this.#factory.chars(complement(escapeClasses.lineEnds))
    if (char === '^') throw new PatternNotSupported('uses ^ inside, which is not supported')
    if (char === '\\') return this.#factory.chars(this.#escape())
    return this.#factory.literal(char)
  }

  #group(): Regex {
    if (this.#skip('?')) {
      if (this.#skip('<')) {
        if ('=!'.includes(this.#peek() ?? '=')) throw new PatternNotSupported('looks behind, which is not supported')
        this.#until('>')
      } else if (!this.#skip(':')) {
        throw new PatternNotSupported('looks ahead or changes flags, which is not supported')
      }
    }
    const inside = this.#alternatives()
    if (!this.#skip(')')) throw new PatternNotSupported('uses $ inside a group, which is not supported')
    return inside
  }

  #class(): CharRange[] {
    const negated = this.#skip('^')
    const ranges: CharRange[] = []
    while (!this.#skip(']')) {
      const from = this.#classMember()
      const [start] = from
      const isRange = this.#peek() === '-' && this.#chars[this.#at + 1] !== ']'
      if (!isRange || !start) {
        ranges.push(...from)
        continue
      }
      this.#at += 1
      const [end] = this.#classMember()
      if (end) ranges.push([start[0], end[0]])
    }
    return negated ? complement(ranges) : union(ranges)
  }

  #classMember(): CharRange[] {
    const char = this.#next()
    if (char === '\\') return this.#peek() === 'b' && this.#skip('b') ? [[8, 8]] : this.#escape()
    return single(char.codePointAt(0) ?? 0)
  }

  /** Behind a backslash. */
  #escape(): CharRange[] {
    const char = this.#next()
    if (char in caseless) return union(escapeClasses[caseless[char] as EscapeClass])
    if (char.toLowerCase() in caseless) return complement(escapeClasses[caseless[char.toLowerCase()] as EscapeClass])
    const control = { n: 10, r: 13, t: 9, v: 11, f: 12, 0: 0 }[char]
    if (control !== undefined) return single(control)
    if (char === 'x') return single(Number.parseInt(this.#next() + this.#next(), 16))
    if (char === 'c') return single((this.#next().codePointAt(0) ?? 0) % 32)
    if (char === 'u') return single(this.#unicodeEscape())
    if (/[a-zA-Z0-9]/.test(char)) throw new PatternNotSupported(`uses \\${char}, which is not supported`)
    return single(char.codePointAt(0) ?? 0)
  }

  #unicodeEscape(): number {
    if (this.#skip('{')) return Number.parseInt(this.#until('}'), 16)
    const unit = () => Number.parseInt(this.#next() + this.#next() + this.#next() + this.#next(), 16)
    const first = unit()
    if (first < 0xd800 || first > 0xdfff) return first
    const pair = this.#skip('\\') && this.#skip('u') ? String.fromCharCode(first, unit()).codePointAt(0) : undefined
    if (pair === undefined || pair < 0x10000) throw new PatternNotSupported('holds half a surrogate pair')
    return pair
  }

  #until(mark: string): string {
    const end = this.#chars.indexOf(mark, this.#at)
    const found = this.#chars.slice(this.#at, end).join('')
    this.#at = end + 1
    return found
  }

  #peek(): string | undefined {
    return this.#chars[this.#at]
  }

  #next(): string {
    const char = this.#chars[this.#at] ?? ''
    this.#at += 1
    return char
  }

  #skip(char: string): boolean {
    if (this.#chars[this.#at] !== char) return false
    this.#at += 1
    return true
  }
}

const single = (code: number): CharRange[] => [[code, code]]
