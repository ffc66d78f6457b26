// Finds commands in what a client sends: arrays of bulk strings, or plain lines.
import { ProtocolError } from './frame-scanner.ts'

const lineFeed = 10
const carriageReturn = 13
const space = 32
const dollar = 36
const star = 42
const zero = 48
/** As Redis has it. */
const maxArguments = 1024 * 1024
const maxBulkBytes = 512 * 1024 * 1024
const maxLineBytes = 64 * 1024

/** What was found last; one object for all, since there are millions of commands. */
export class RequestScanner {
  nameAt = 0
  nameLength = 0
  /** When a command is not complete: it cannot be before this many bytes are there. */
  needed = 0
  #at = 0

  /** Where the command that begins at `from` ends, or -1 when it is not complete. */
  next(bytes: Uint8Array, from: number): number {
    this.nameLength = 0
    if (bytes[from] !== star) return this.#line(bytes, from)
    this.#at = from + 1
    const count = this.#number(bytes, from, maxArguments)
    if (count < 0) return -1
    for (let index = 0; index < count; index++) {
      if (this.#at >= bytes.length) return this.#more(from, this.#at + 4)
      if (bytes[this.#at] !== dollar) throw new ProtocolError(`expected '$', got '${letter(bytes[this.#at])}'`)
      this.#at++
      const length = this.#number(bytes, from, maxBulkBytes)
      if (length < 0) return -1
      if (index === 0) {
        this.nameAt = this.#at
        this.nameLength = length
      }
      this.#at += length + 2
      if (this.#at > bytes.length) return this.#more(from, this.#at)
    }
    return this.#at
  }

  #more(from: number, until: number): -1 {
    this.needed = until - from
    return -1
  }

  /**
   * Reads to the end of the line; -1 when that is not there. Exactly as Redis reads it: where the two did not agree on
   * the end of a command, one client could write another's.
   */
  #number(bytes: Uint8Array, from: number, most: number): number {
    let value = 0
    let at = this.#at
    for (; at < bytes.length; at++) {
      const digit = (bytes[at] as number) - zero
      if (digit < 0 || digit > 9) break
      if (value === 0 && at > this.#at) throw new ProtocolError('invalid length')
      value = value * 10 + digit
      if (value > most) throw new ProtocolError('invalid bulk length')
    }
    if (at >= bytes.length) return this.#more(from, bytes.length + 1)
    if (at === this.#at || bytes[at] !== carriageReturn) throw new ProtocolError('invalid length')
    if (at + 1 >= bytes.length) return this.#more(from, bytes.length + 1)
    if (bytes[at + 1] !== lineFeed) throw new ProtocolError('invalid length')
    this.#at = at + 2
    return value
  }

  #line(bytes: Uint8Array, from: number): number {
    const end = bytes.indexOf(lineFeed, from)
    if (end < 0) {
      if (bytes.length - from > maxLineBytes) throw new ProtocolError('too big inline request')
      return this.#more(from, bytes.length + 1)
    }
    let at = from
    while (bytes[at] === space) at++
    this.nameAt = at
    while (at < end && bytes[at] !== space && bytes[at] !== carriageReturn) at++
    this.nameLength = at - this.nameAt
    return end + 1
  }
}

/** The arguments of one whole command, its name first. */
export function argumentsOf(command: Buffer): Buffer[] {
  if (command[0] !== star) {
    return command
      .toString('latin1')
      .trim()
      .split(/\s+/)
      .map((word) => Buffer.from(word, 'latin1'))
  }
  const found: Buffer[] = []
  let at = command.indexOf(lineFeed) + 1
  while (at < command.length) {
    const line = command.indexOf(lineFeed, at)
    const length = Number(command.toString('latin1', at + 1, line - 1))
    found.push(command.subarray(line + 1, line + 1 + length))
    at = line + 1 + length + 2
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
const letter = (byte: number | undefined): string => (byte === undefined ? '' : String.fromCharCode(byte))
