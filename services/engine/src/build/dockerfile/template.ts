// Words with variables in them: taken apart when they are read, so that what is wrong with one is known before anything
// is built, and put together with values later.
import type { EscapeCharacter } from './dockerfile.ts'
import { Wrong } from './problem.ts'

export type Template = TemplatePart[]

export type TemplatePart = Literal | Variable

export interface Literal {
  text: string
  /** In quotes or escaped: no space in it ends a word. */
  isQuoted: boolean
}

export interface Variable {
  name: string
  isQuoted: boolean
  modifier?: Modifier
}

export type Modifier =
  | { kind: '-' | '+' | '?'; isEmptyUnset: boolean; word: Template }
  | { kind: '#' | '##' | '%' | '%%'; pattern: Template }
  | { kind: '/' | '//'; pattern: Template; replacement: Template }

export interface TemplateForm {
  escapedBy: EscapeCharacter
  /** In here-documents quotes are letters like any other. */
  hasQuotes?: boolean
}

const maxDepth = 50

export function readTemplate(text: string, { escapedBy, hasQuotes = true }: TemplateForm): Template {
  return new Reader(text, escapedBy, hasQuotes).read()
}

class Reader {
  readonly #text: string
  readonly #escapedBy: string
  readonly #hasQuotes: boolean
  #at = 0
  #depth = 0

  constructor(text: string, escapedBy: string, hasQuotes: boolean) {
    this.#text = text
    this.#escapedBy = escapedBy
    this.#hasQuotes = hasQuotes
  }

  read(): Template {
    return this.#until('', false)
  }

  #wrong(words: string): Wrong {
    return new Wrong(words, Math.min(this.#at, Math.max(this.#text.length - 1, 0)))
  }

  /** One character, as people count them. */
  #take(): string {
    const code = this.#text.codePointAt(this.#at)
    if (code === undefined) return ''
    const character = String.fromCodePoint(code)
    this.#at += character.length
    return character
  }

  #next(): string {
    return this.#text.charAt(this.#at)
  }

  /** Patterns keep their escapes: they mean something there. */
  #until(stop: string, keepsEscapes: boolean): Template {
    const parts: Template = []
    while (this.#at < this.#text.length) {
      const next = this.#next()
      if (stop !== '' && next === stop) {
        this.#at += 1
        return parts
      }
      if (next === '$') parts.push(this.#variable(false))
      else if (next === "'" && this.#hasQuotes) parts.push(this.#singleQuoted())
      else if (next === '"' && this.#hasQuotes) parts.push(...this.#doubleQuoted(keepsEscapes))
      else if (next === this.#escapedBy) this.#escaped(parts, keepsEscapes)
      else addText(parts, this.#take(), false)
    }
    if (stop !== '') throw this.#wrong(`syntax error: missing '${stop}' in \${}`)
    return parts
  }

  #escaped(parts: Template, isKept: boolean): void {
    const escapedBy = this.#take()
    addText(parts, (isKept ? escapedBy : '') + this.#take(), true)
  }

  #singleQuoted(): Literal {
    const end = this.#text.indexOf("'", this.#at + 1)
    if (end === -1) throw this.#wrong('unexpected end of statement while looking for matching single-quote')
    const text = this.#text.slice(this.#at + 1, end)
    this.#at = end + 1
    return { text, isQuoted: true }
  }

  #doubleQuoted(keepsEscapes: boolean): Template {
    const begin = this.#at
    const parts: Template = [{ text: '', isQuoted: true }]
    this.#at += 1
    while (this.#at < this.#text.length) {
      const next = this.#next()
      if (next === '"') {
        this.#at += 1
        return parts
      }
      if (next === '$') parts.push(this.#variable(true))
      else if (next === this.#escapedBy) {
        this.#at += 1
        const isEscaping = ['"', '$', this.#escapedBy].includes(this.#next())
        addText(parts, !isEscaping || keepsEscapes ? next : '', true)
        if (isEscaping) addText(parts, this.#take(), true)
      } else addText(parts, this.#take(), true)
    }
    this.#at = begin
    throw this.#wrong('unexpected end of statement while looking for matching double-quote')
  }

  #variable(isQuoted: boolean): TemplatePart {
    this.#at += 1
    if (this.#next() !== '{') {
      const name = this.#name()
      return name === '' ? { text: '$', isQuoted } : { name, isQuoted }
    }
    this.#at += 1
    if (this.#next() === '') throw this.#wrong("syntax error: missing '}'")
    if ('{}:'.includes(this.#next())) throw this.#wrong('syntax error: bad substitution')
    const name = this.#name()
    if (this.#next() === '}') {
      this.#at += 1
      return { name, isQuoted }
    }
    if (++this.#depth > maxDepth) throw this.#wrong('variables nested too deep')
    const modifier = this.#modifier()
    this.#depth -= 1
    return { name, isQuoted, modifier }
  }

  #modifier(): Modifier {
    const isEmptyUnset = this.#next() === ':'
    if (isEmptyUnset) this.#at += 1
    const sign = this.#take()
    if (sign === '') throw this.#wrong("syntax error: missing '}'")
    if (sign === '-' || sign === '+' || sign === '?') return { kind: sign, isEmptyUnset, word: this.#until('}', false) }
    const isTwice = this.#next() === sign
    if (!isEmptyUnset && (sign === '#' || sign === '%')) {
      if (isTwice) this.#at += 1
      return { kind: isTwice ? (`${sign}${sign}` as '##' | '%%') : sign, pattern: this.#until('}', true) }
    }
    if (!isEmptyUnset && sign === '/') {
      if (isTwice) this.#at += 1
      const pattern = this.#until('/', true)
      return { kind: isTwice ? '//' : '/', pattern, replacement: this.#until('}', true) }
    }
    throw this.#wrong(`unsupported modifier (${isEmptyUnset ? ':' : ''}${sign}) in substitution`)
  }

  /** Letters, digits and `_`; or only digits; or one of the shell's own signs. */
  #name(): string {
    const rest = this.#text.slice(this.#at, this.#at + maxNameLength)
    const [name = ''] = /^(?:\p{Nd}+|[@*#?\-$!]|[\p{L}_][\p{L}\p{Nd}_]*)/u.exec(rest) ?? []
    this.#at += name.length
    return name
  }
}

const maxNameLength = 1_000

/** To what stands before it, where that is of the same kind. */
function addText(parts: Template, text: string, isQuoted: boolean): void {
  const last = parts.at(-1)
  if (last !== undefined && 'text' in last && last.isQuoted === isQuoted) last.text += text
  else parts.push({ text, isQuoted })
}
