// The text of one JSON string, taken in pieces: a string may be longer than what arrives at once.
import { isUtf8 } from 'node:buffer'
import { JsonInvalid } from './bounds.ts'

const quote = 0x22
const backslash = 0x5c
const letterU = 0x75
const shortEscapeBytes = 2
const longEscapeBytes = 6

// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON has them only as escapes
const needsReading = /[\\\u0000-\u001f]/

export class TextPieces {
  #text = ''
  #hasNul = false

  /** True once a piece held an escaped NUL; JSON has no other way to write it. */
  get hasNul(): boolean {
    return this.#hasNul
  }

  /** Letters without escapes. */
  addPlain(text: string): void {
    this.#text = this.#text === '' ? text : this.#text + text
  }

  add(bytes: Buffer, start: number, end: number): void {
    if (!isUtf8(bytes.subarray(start, end))) throw new JsonInvalid()
    const raw = bytes.toString('utf8', start, end)
    const text = needsReading.test(raw) ? unescaped(raw) : raw
    if (text.includes('\0')) this.#hasNul = true
    this.addPlain(text)
  }

  take(): string {
    const text = this.#text
    this.#text = ''
    this.#hasNul = false
    return text
  }
}

function unescaped(raw: string): string {
  try {
    return JSON.parse(`"${raw}"`)
  } catch {
    throw new JsonInvalid()
  }
}

/** Where the string ends whose text goes on at `start`; below 0 when it does not end here. */
export function closingQuote(bytes: Buffer, start: number): number {
  let at = bytes.indexOf(quote, start)
  while (at >= 0 && isEscaped(bytes, start, at)) at = bytes.indexOf(quote, at + 1)
  return at
}

/** After an odd number of backslashes. */
function isEscaped(bytes: Buffer, start: number, at: number): boolean {
  let first = at
  while (first > start && bytes[first - 1] === backslash) first--
  return (at - first) % 2 === 1
}

/** The last place up to which a string that goes on can be read: not within an escape, nor within a character. */
export function cutBefore(bytes: Buffer, start: number): number {
  const end = bytes.length
  const last = bytes.lastIndexOf(backslash)
  if (last >= start && end - last < longEscapeBytes && !isEscaped(bytes, start, last)) {
    const escapeBytes = bytes[last + 1] === letterU ? longEscapeBytes : shortEscapeBytes
    if (last + escapeBytes > end) return last
  }
  let lead = end - 1
  while (lead > start && end - lead < 4 && ((bytes[lead] ?? 0) & 0xc0) === 0x80) lead--
  const first = bytes[lead] ?? 0
  const wanted = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc0 ? 2 : 1
  return lead >= start && lead + wanted > end ? lead : end
}
