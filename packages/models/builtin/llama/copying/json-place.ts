// Follows a JSON text as it is written: which value is being written, what of it is there, and what stands before it in
// the same object.

/** Bytes are given as letters of Latin-1 throughout. */
export interface OpenValue {
  kind: 'text' | 'number'
  written: string
}

interface Level {
  isObject: boolean
  expectsName: boolean
  /** How many fields have a number, as such or as a text. */
  given: Map<number, number>
}

const inNumbers = /[-+0-9.eE]/
const beginsNumber = /[-0-9]/
const endsInDigit = /\d$/

export class JsonPlace {
  /** Not the names of fields; nothing between values. */
  value: OpenValue | undefined
  /** Begun so far: names, and values that are texts. */
  texts = 0
  readonly #levels: Level[] = []
  #isName = false
  #isEscaped = false

  /** A value of a field comes next. */
  get expectsValue(): boolean {
    const level = this.#levels.at(-1)
    return level?.isObject === true && !level.expectsName && this.value === undefined
  }

  /** A name is being written, or a value that is a text. */
  get isInText(): boolean {
    return this.#isName || this.value?.kind === 'text'
  }

  /** The next letter belongs to the backslash before it. */
  get isEscaped(): boolean {
    return this.#isEscaped
  }

  /** The value that was just written, or comes next, is one of a list. */
  get isInList(): boolean {
    return this.#levels.at(-1)?.isObject === false
  }

  /** How many of the other fields of the same object have this number. */
  timesGiven(number: number): number {
    return this.#levels.at(-1)?.given.get(number) ?? 0
  }

  push(bytes: string): void {
    for (const byte of bytes) {
      if (this.isInText) this.#within(byte)
      else this.#between(byte)
    }
  }

  #within(byte: string): void {
    if (byte === '"' && !this.#isEscaped) {
      this.#isName = false
      this.#end()
      return
    }
    this.#isEscaped = byte === '\\' && !this.#isEscaped
    if (this.value !== undefined) this.value.written += byte
  }

  #between(byte: string): void {
    if (this.value !== undefined && inNumbers.test(byte)) {
      this.value.written += byte
      return
    }
    this.#end()
    const level = this.#levels.at(-1)
    if (byte === '{' || byte === '[')
      this.#levels.push({ isObject: byte === '{', expectsName: byte === '{', given: new Map() })
    if (level === undefined) return // what stands before: the mark of a call
    if (byte === '}' || byte === ']') this.#levels.pop()
    else if (byte === ':') level.expectsName = false
    else if (byte === ',') level.expectsName = level.isObject
    else if (byte === '"') this.#begin(level)
    else if (beginsNumber.test(byte)) this.value = { kind: 'number', written: byte }
  }

  #begin({ expectsName }: Level): void {
    this.texts++
    this.#isName = expectsName
    if (!expectsName) this.value = { kind: 'text', written: '' }
  }

  #end(): void {
    const given = this.#levels.at(-1)?.given
    const written = this.value?.written ?? ''
    this.value = undefined
    // An empty text would be read as 0.
    if (given === undefined || !endsInDigit.test(written)) return
    const number = Number(written)
    given.set(number, (given.get(number) ?? 0) + 1)
  }
}
