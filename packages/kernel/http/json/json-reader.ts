// Reads JSON as its bytes arrive: each piece of work is as short as the piece of the body, and a body that breaks a
// bound is refused at the byte that does. What it reads, and what it refuses, is exactly what JSON.parse does.
import { type JsonBounds, JsonInvalid, JsonRefused } from './bounds.ts'
import { isScalarByte, readScalar } from './scalars.ts'
import { closingQuote, cutBefore, TextPieces } from './text-pieces.ts'

type Expectation = 'value' | 'value or ]' | 'name or }' | 'name' | ':' | ', or end' | 'nothing'

interface Frame {
  container: unknown[] | Record<string, unknown>
  /** Of the property that is being read. */
  name: string
  names: number
}

/** Numbers and words are short; what is longer is none. */
const maxScalarBytes = 4_096
/** Most texts are short and plain: these are told by looking at each byte. */
const nearBytes = 32

export class JsonReader {
  readonly #bounds: JsonBounds
  /** The containers that are open, the innermost last. */
  readonly #frames: Frame[] = []
  readonly #text = new TextPieces()
  #expects: Expectation = 'value'
  #isInText = false
  #rest: Buffer | undefined
  #values = 0
  #numbers = 0
  #root: unknown
  #nulPath: (string | number)[] | undefined

  constructor(bounds: JsonBounds) {
    this.#bounds = bounds
  }

  /** Where the first text with a NUL is, of a value that has one. */
  get nulPath(): readonly (string | number)[] | undefined {
    return this.#nulPath
  }

  push(chunk: Buffer): void {
    const bytes = this.#rest === undefined ? chunk : Buffer.concat([this.#rest, chunk])
    this.#rest = undefined
    let at = 0
    while (at < bytes.length) at = this.#isInText ? this.#readText(bytes, at) : this.#readToken(bytes, at)
  }

  /** The whole value; undefined when there was nothing but white space. */
  end(): unknown {
    if (this.#rest !== undefined && !this.#isInText) this.#addScalar(this.#rest, 0, this.#rest.length)
    const isEmpty = this.#expects === 'value' && this.#frames.length === 0
    if (this.#isInText || !(isEmpty || this.#expects === 'nothing')) throw new JsonInvalid()
    return this.#root
  }

  /** Each of these returns where the next one begins. */
  #readToken(bytes: Buffer, at: number): number {
    switch (bytes[at]) {
      case 0x20:
      case 0x09:
      case 0x0a:
      case 0x0d:
        return at + 1
      case 0x22: // "
        if (this.#expects === 'name or }') this.#expects = 'name'
        else if (this.#expects !== 'name') this.#expectValue()
        this.#isInText = true
        return at + 1
      case 0x5b: // [
        this.#open([], 'value or ]')
        return at + 1
      case 0x7b: // {
        this.#open({}, 'name or }')
        return at + 1
      case 0x5d: // ]
        this.#close('value or ]')
        return at + 1
      case 0x7d: // }
        this.#close('name or }')
        return at + 1
      case 0x2c: // ,
        this.#expectNext()
        return at + 1
      case 0x3a: // :
        if (this.#expects !== ':') throw new JsonInvalid()
        this.#expects = 'value'
        return at + 1
      default:
        return this.#readScalar(bytes, at)
    }
  }

  #readText(bytes: Buffer, start: number): number {
    const near = Math.min(bytes.length, start + nearBytes)
    for (let at = start; at < near; at++) {
      const byte = bytes[at] as number
      if (byte === 0x22) {
        this.#text.addPlain(bytes.toString('latin1', start, at))
        this.#endText()
        return at + 1
      }
      if (byte < 0x20 || byte === 0x5c || byte > 0x7e) break
    }
    const quote = closingQuote(bytes, start)
    const end = quote < 0 ? cutBefore(bytes, start) : quote
    this.#text.add(bytes, start, end)
    if (quote >= 0) {
      this.#endText()
      return quote + 1
    }
    this.#rest = end < bytes.length ? bytes.subarray(end) : undefined
    return bytes.length
  }

  #endText(): void {
    this.#isInText = false
    const frame = this.#frames.at(-1)
    const isName = this.#expects === 'name'
    if (this.#text.hasNul) this.#nulPath ??= this.#path(isName)
    const text = this.#text.take()
    if (!isName || frame === undefined) {
      this.#addValue(text)
      return
    }
    frame.name = text
    if (++frame.names > this.#bounds.maxKeys) throw new JsonRefused('keys', this.#bounds.maxKeys)
    this.#expects = ':'
  }

  #readScalar(bytes: Buffer, start: number): number {
    this.#expectValue()
    let end = start
    while (end < bytes.length && isScalarByte(bytes[end] as number)) end++
    if (end === start || end - start > maxScalarBytes) throw new JsonInvalid()
    if (end === bytes.length) {
      this.#rest = bytes.subarray(start) // It may go on in the next piece.
      return end
    }
    this.#addScalar(bytes, start, end)
    return end
  }

  #addScalar(bytes: Buffer, start: number, end: number): void {
    const value = readScalar(bytes, start, end)
    if (typeof value === 'number') {
      if (++this.#numbers > this.#bounds.maxNumbers) throw new JsonRefused('numbers', this.#bounds.maxNumbers)
      this.#put(value)
    } else this.#addValue(value)
  }

  #addValue(value: unknown): void {
    if (++this.#values > this.#bounds.maxValues) throw new JsonRefused('values', this.#bounds.maxValues)
    this.#put(value)
  }

  #put(value: unknown): void {
    const frame = this.#frames.at(-1)
    this.#expects = frame === undefined ? 'nothing' : ', or end'
    if (frame === undefined) this.#root = value
    else if (Array.isArray(frame.container)) frame.container.push(value)
    else if (frame.name !== '__proto__') frame.container[frame.name] = value
    else
      Object.defineProperty(frame.container, frame.name, {
        value,
        writable: true,
        enumerable: true,
        configurable: true,
      })
  }

  #open(container: Frame['container'], expects: Expectation): void {
    this.#expectValue()
    this.#addValue(container)
    this.#frames.push({ container, name: '', names: 0 })
    if (this.#frames.length > this.#bounds.maxDepth) throw new JsonRefused('depth', this.#bounds.maxDepth)
    this.#expects = expects
  }

  #close(whenEmpty: Expectation): void {
    const frame = this.#frames.pop()
    const isArray = Array.isArray(frame?.container)
    const mayEnd = this.#expects === whenEmpty || this.#expects === ', or end'
    if (frame === undefined || !mayEnd || isArray !== (whenEmpty === 'value or ]')) throw new JsonInvalid()
    this.#expects = this.#frames.length === 0 ? 'nothing' : ', or end'
  }

  #expectValue(): void {
    if (this.#expects !== 'value' && this.#expects !== 'value or ]') throw new JsonInvalid()
  }

  #expectNext(): void {
    const frame = this.#frames.at(-1)
    if (frame === undefined || this.#expects !== ', or end') throw new JsonInvalid()
    this.#expects = Array.isArray(frame.container) ? 'value' : 'name'
  }

  /** Of the text that was just read; a name stands for the object it is in. */
  #path(isName: boolean): (string | number)[] {
    const last = this.#frames.length - 1
    // What is still being read stands in its array already, except for the text itself.
    const path = this.#frames.map(({ container, name }, index) =>
      Array.isArray(container) ? container.length - (index < last ? 1 : 0) : name,
    )
    return isName ? path.slice(0, -1) : path
  }
}
