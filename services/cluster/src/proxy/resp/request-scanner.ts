// Finds commands in what a client sends: arrays of bulk strings, or plain lines.
import { ProtocolError } from './frame-scanner.ts'

const nul = 0
const lineFeed = 10
const carriageReturn = 13
const dollar = 36
const star = 42
const zero = 48
/** As Redis has it. */
const maxArguments = 2 ** 31 - 1
const maxBulkBytes = 512 * 1024 * 1024
const maxLineBytes = 64 * 1024
/** Of a number that is read without further thought. */
const fewDigits = 9

/** What was found last; one object for all, since there are millions of commands. */
export class RequestScanner {
  nameAt = 0
  nameLength = 0
  /** An empty line, or an array of nothing: the server answers it with nothing. */
  isNothing = false
  /** When a command is not complete: it cannot be before this many bytes are there. */
  needed = 0
  #at = 0
  #value = 0

  /** Where the command that begins at `from` ends, or -1 when it is not complete. */
  next(bytes: Uint8Array, from: number): number {
    this.nameLength = 0
    this.isNothing = false
    this.#at = from
    if (bytes[from] !== star) return this.#line(bytes, from)
    if (!this.#number(bytes, from, star)) return -1
    const count = this.#value
    this.isNothing = count <= 0
    for (let index = 0; index < count; index++) {
      if (this.#at >= bytes.length) return this.#more(this.#at + 4 - from)
      if (!this.#number(bytes, from, dollar)) return -1
      if (index === 0) {
        this.nameAt = this.#at
        this.nameLength = this.#value
      }
      this.#at += this.#value + 2
      if (this.#at > bytes.length) return this.#more(this.#at - from)
    }
    return this.#at
  }

  #more(needed: number): -1 {
    this.needed = needed
    return -1
  }

  /**
   * Reads the line of a count; false when its end is not there. Exactly as Redis reads it: where the two did not agree
   * on the end of a command, one client could write another's.
   */
  #number(bytes: Uint8Array, from: number, first: number): boolean {
    let value = 0
    let at = this.#at + 1
    const end = Math.min(bytes.length - 1, at + fewDigits)
    for (; at < end; at++) {
      const digit = (bytes[at] as number) - zero
      if (digit < 0 || digit > 9) break
      value = value * 10 + digit
    }
    const digits = at - this.#at - 1
    const isPlain =
      bytes[this.#at] === first && at < end && digits > 0 && (digits === 1 || bytes[this.#at + 1] !== zero)
    if (!isPlain || bytes[at] !== carriageReturn || (first === dollar && value > maxBulkBytes)) {
      return this.#unusualNumber(bytes, from, first)
    }
    this.#at = at + 2
    this.#value = value
    return true
  }

  /** Its line goes to the first carriage return, and the byte behind that is not looked at. */
  #unusualNumber(bytes: Uint8Array, from: number, first: number): boolean {
    const kind = first === star ? 'multibulk' : 'bulk'
    const end = endOfLine(bytes, this.#at, carriageReturn)
    if (end < 0 || end + 1 >= bytes.length) {
      if (bytes.length - this.#at > maxLineBytes) {
        throw new ProtocolError(`too big ${first === star ? 'mbulk' : 'bulk'} count string`)
      }
      return this.#more(bytes.length + 1 - from) > 0
    }
    if (bytes[this.#at] !== first) {
      throw new ProtocolError(`expected '$', got '${String.fromCharCode(bytes[this.#at] as number)}'`)
    }
    const text = Buffer.from(bytes.subarray(this.#at + 1, end)).toString('latin1')
    const value = /^(0|-?[1-9]\d{0,18})$/.test(text) ? Number(text) : Number.NaN
    const isGood = first === star ? value <= maxArguments : value >= 0 && value <= maxBulkBytes
    if (!isGood) throw new ProtocolError(`invalid ${kind} length`)
    this.#at = end + 2
    this.#value = value
    return true
  }

  #line(bytes: Uint8Array, from: number): number {
    const end = endOfLine(bytes, from, lineFeed)
    if (end >= 0) return end + 1
    if (bytes.length - from > maxLineBytes) throw new ProtocolError('too big inline request')
    return this.#more(bytes.length + 1 - from)
  }
}

/** -1 when it is not there. The server looks no further than to the first zero. */
function endOfLine(bytes: Uint8Array, from: number, last: number): number {
  const end = bytes.indexOf(last, from)
  const stop = end < 0 ? -1 : bytes.subarray(from, end).indexOf(nul)
  return stop < 0 ? end : -1
}

/** The arguments of one whole command that is an array, its name first. */
export function argumentsOf(command: Buffer): Buffer[] {
  const found: Buffer[] = []
  let at = command.indexOf(carriageReturn) + 2
  while (at < command.length) {
    const line = command.indexOf(carriageReturn, at)
    const length = Number(command.toString('latin1', at + 1, line))
    found.push(command.subarray(line + 2, line + 2 + length))
    at = line + 2 + length + 2
  }
  return found
}

/** As a client would send it. */
export function encodeCommand(parts: readonly (string | Buffer)[]): Buffer {
  const pieces: Buffer[] = [Buffer.from(`*${parts.length}\r\n`)]
  for (const part of parts) {
    const bytes = typeof part === 'string' ? Buffer.from(part) : part
    pieces.push(Buffer.from(`$${bytes.length}\r\n`), bytes, crlf)
  }
  return Buffer.concat(pieces)
}

const crlf = Buffer.from('\r\n')
