// The patterns of one schema. Texts are matched by following the pattern letter by letter: a pattern from outside,
// given to a backtracking engine, could take forever.
import { PatternNotSupported, readPattern } from './pattern.ts'
import { type Regex, RegexFactory } from './regex.ts'

export class TextPatterns {
  readonly factory = new RegexFactory()
  readonly #read = new Map<string, Regex | PatternNotSupported>()

  read(source: string): Regex | PatternNotSupported {
    const known = this.#read.get(source)
    if (known) return known
    const made = this.#tryRead(source)
    this.#read.set(source, made)
    return made
  }

  /** A pattern that cannot be read forbids nothing here: it is reported where its rules are made. */
  matches(source: string, text: string): boolean {
    const read = this.read(source)
    if (read instanceof PatternNotSupported) return true
    const rest = [...text].reduce((regex: Regex, char) => this.factory.after(regex, char.codePointAt(0) ?? 0), read)
    return rest.empty
  }

  #tryRead(source: string): Regex | PatternNotSupported {
    try {
      return readPattern(this.factory, source)
    } catch (error) {
      if (error instanceof PatternNotSupported) return error
      throw error
    }
  }
}
