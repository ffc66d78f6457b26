// Where RESP frames end in a stream of bytes, however it is cut into pieces. Nothing is copied or decoded: bulk strings
// are jumped over.

export class ProtocolError extends Error {
  override readonly name = 'ProtocolError'
}

const lineFeed = 10
const carriageReturn = 13
const minus = 45
const zero = 48
const nine = 57
const type = (letter: string): number => letter.charCodeAt(0)
const [bulk, verbatim, bulkError] = ['$', '=', '!'].map(type) as [number, number, number]
const [array, set, push, map, attribute] = ['*', '~', '>', '%', '|'].map(type) as [
  number,
  number,
  number,
  number,
  number,
]
const [simple, integer] = ['+', ':'].map(type) as [number, number]
const lines = new Set(['+', '-', ':', ',', '_', '#', '('].map(type))

export const pushType = push
/** Of lines and numbers that are read without further thought. */
const shortLine = 64
const fewDigits = 9
/** Far above what Redis allows in one frame; more is no length but an attack. */
const maxLength = 2 ** 40

export class FrameScanner {
  /** Elements still to come before the frame is complete; 0 between frames. */
  #open = 0
  /** Bytes of a bulk string still to jump over, with its line end. */
  #skip = 0
  /** Of the header line under way; 0 before its first byte. */
  #type = 0
  #length = 0
  #isNegative = false
  #firstType = 0

  /** Nothing of a frame has been seen. */
  get isBetween(): boolean {
    return this.#open === 0 && this.#type === 0 && this.#skip === 0
  }

  /** Of the frame under way, or of the one that has just ended. */
  get firstType(): number {
    return this.#firstType
  }

  /** Where the frame under way ends in `bytes`, or -1 when it goes on in the next piece. */
  next(bytes: Uint8Array, from: number): number {
    if (this.isBetween) {
      const end = endOfSimple(bytes, from)
      if (end > 0) {
        this.#firstType = bytes[from] as number
        return end
      }
    }
    let at = from
    const end = bytes.length
    while (at < end) {
      if (this.#skip > 0) {
        const jump = Math.min(this.#skip, end - at)
        this.#skip -= jump
        at += jump
        if (this.#skip > 0) return -1
      } else {
        at = this.#header(bytes, at, end)
        if (this.#type !== 0) return -1
      }
      if (this.#skip === 0 && this.#open === 0) return at
    }
    return -1
  }

  /** Reads on in a header line; `#type` is 0 again when it is complete. */
  #header(bytes: Uint8Array, from: number, end: number): number {
    let at = from
    if (this.#type === 0) this.#begin(bytes[at++] as number)
    const isCounted = !lines.has(this.#type)
    for (; at < end; at++) {
      const byte = bytes[at] as number
      if (byte === lineFeed) {
        this.#complete()
        return at + 1
      }
      if (isCounted) this.#digit(byte)
    }
    return at
  }

  #begin(first: number): void {
    if (!isType(first)) throw new ProtocolError(`A frame cannot begin with byte ${first}.`)
    if (this.#open === 0) {
      this.#open = 1
      this.#firstType = first
    }
    this.#type = first
    this.#length = 0
    this.#isNegative = false
  }

  #digit(byte: number): void {
    if (byte >= zero && byte <= nine) {
      this.#length = this.#length * 10 + byte - zero
      if (this.#length > maxLength) throw new ProtocolError('A length is too large.')
    } else if (byte === minus) this.#isNegative = true
    else if (byte !== carriageReturn) throw new ProtocolError('A length is not a number.')
  }

  #complete(): void {
    const [first, length] = [this.#type, this.#isNegative ? 0 : this.#length]
    this.#type = 0
    if (first === bulk || first === verbatim || first === bulkError) {
      this.#open--
      if (!this.#isNegative) this.#skip = length + 2
    } else if (first === array || first === set || first === push) this.#open += length - 1
    else if (first === map) this.#open += 2 * length - 1
    else if (first === attribute)
      this.#open += 2 * length // the frame it speaks of follows
    else this.#open--
  }
}

/** Of a frame of one line or of one bulk string that is all there: most replies. -1 where that takes a closer look. */
function endOfSimple(bytes: Uint8Array, from: number): number {
  const first = bytes[from] as number
  let at = from + 1
  if (first === simple || first === integer) {
    const last = Math.min(bytes.length, at + shortLine)
    while (at < last && bytes[at] !== lineFeed) at++
    return at < last ? at + 1 : -1
  }
  if (first !== bulk) return -1
  const last = Math.min(bytes.length, at + fewDigits)
  let length = 0
  for (; at < last; at++) {
    const digit = (bytes[at] as number) - zero
    if (digit < 0 || digit > 9) break
    length = length * 10 + digit
  }
  const end = at + length + 4
  return at > from + 1 && bytes[at] === carriageReturn && bytes[at + 1] === lineFeed && end <= bytes.length ? end : -1
}

const isType = (byte: number): boolean =>
  lines.has(byte) ||
  byte === bulk ||
  byte === array ||
  byte === push ||
  byte === map ||
  byte === set ||
  byte === verbatim ||
  byte === bulkError ||
  byte === attribute
