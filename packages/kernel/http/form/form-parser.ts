// Takes multipart/form-data apart as its bytes arrive (RFC 7578). Whatever is sent, little is held: the headers of one
// part, or the beginning of what may be a boundary.
import { FormInvalid } from './form-invalid.ts'
import { type PartHead, readPartHead } from './part-head.ts'

/** As much as a whole HTTP request may have. */
export const maxPartHeaderBytes = 16 * 1024
/** What may stand before the first boundary; forms have nothing there. */
const maxPreambleBytes = 16 * 1024
/** RFC 2046 allows 70. */
const maxBoundaryLength = 200

const dash = 0x2d
const carriageReturn = 0x0d
const lineBreak = '\r\n'
const headersEnd = '\r\n\r\n'

/** Takes the content of one part. */
export interface PartSink {
  /** The bytes are handed over. */
  add(bytes: Buffer): void
  end(): void
}

/** Each reads on from `at`, and returns where the next one goes on; where it began when that takes more bytes. */
type State = (bytes: Buffer, at: number) => number

export class FormParser {
  readonly #open: (head: PartHead) => PartSink
  readonly #delimiter: Buffer
  /** The first boundary may be the first line. */
  #held: Buffer | undefined = Buffer.from(lineBreak)
  #state: State
  #part: PartSink | undefined

  /** `open` is asked for each part when its headers are read; what it throws comes out of `push`. */
  constructor(boundary: string, open: (head: PartHead) => PartSink) {
    if (boundary === '') throw new FormInvalid('The content type names no boundary.')
    if (boundary.length > maxBoundaryLength) {
      throw new FormInvalid(`The boundary is longer than ${maxBoundaryLength} characters.`)
    }
    this.#delimiter = Buffer.from(`${lineBreak}--${boundary}`, 'latin1')
    this.#open = open
    this.#state = this.#preamble
  }

  push(chunk: Buffer): void {
    const bytes = this.#held === undefined ? chunk : Buffer.concat([this.#held, chunk])
    this.#held = undefined
    for (let at = 0; at < bytes.length; ) {
      const next = this.#state(bytes, at)
      if (next === at) {
        this.#held = bytes.subarray(at)
        return
      }
      at = next
    }
  }

  /** A form that was cut off must not look whole. */
  end(): void {
    if (this.#state === this.#headers) throw new FormInvalid('The headers of a part are not complete.')
    if (this.#state !== this.#epilogue) throw new FormInvalid('The closing boundary is missing.')
  }

  readonly #preamble: State = (bytes, at) => {
    const found = bytes.indexOf(this.#delimiter, at)
    const passed = found < 0 ? bytes.length : found
    if (passed > maxPreambleBytes) throw new FormInvalid(`The boundary is not in the first ${maxPreambleBytes} bytes.`)
    if (found < 0) return at
    this.#state = this.#boundaryEnd
    return found + this.#delimiter.length
  }

  readonly #boundaryEnd: State = (bytes, at) => {
    if (bytes.length < at + 2) return at
    const isLast = bytes[at] === dash && bytes[at + 1] === dash
    this.#state = isLast ? this.#epilogue : this.#headers
    return this.#state(bytes, at)
  }

  /** The line break after the boundary is looked for with them: a part may have none. */
  readonly #headers: State = (bytes, at) => {
    const end = bytes.indexOf(headersEnd, at)
    const length = (end < 0 ? bytes.length : end) - at
    if (length > maxPartHeaderBytes) {
      throw new FormInvalid(`The headers of a part are longer than ${maxPartHeaderBytes} bytes.`)
    }
    if (end < 0) return at
    const [rest = '', ...lines] = bytes.toString('utf8', at, end).split(lineBreak)
    if (!/^[ \t]*$/.test(rest))
      throw new FormInvalid('After a boundary, the headers of a part begin on a line of their own.')
    this.#part = this.#open(readPartHead(lines))
    this.#state = this.#content
    return end + headersEnd.length
  }

  readonly #content: State = (bytes, at) => {
    const found = bytes.indexOf(this.#delimiter, at)
    const end = found < 0 ? this.#maybeBoundary(bytes, at) : found
    if (end > at) this.#part?.add(bytes.subarray(at, end))
    if (found < 0) return end
    this.#part?.end()
    this.#state = this.#boundaryEnd
    return found + this.#delimiter.length
  }

  readonly #epilogue: State = (bytes) => bytes.length

  /** Where a boundary may begin that goes on in the next piece; the end when none does. */
  #maybeBoundary(bytes: Buffer, at: number): number {
    const from = Math.max(at, bytes.length - this.#delimiter.length + 1)
    const last = bytes.subarray(from).lastIndexOf(carriageReturn)
    if (last < 0) return bytes.length
    const begun = bytes.subarray(from + last)
    return this.#delimiter.subarray(0, begun.length).equals(begun) ? from + last : bytes.length
  }
}
