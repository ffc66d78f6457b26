// Header lines of messages, and what they say in encodings of their own.
import { Buffer } from 'node:buffer'

const encodedWord = /=\?([\w-]{1,40})(?:\*[\w-]*)?\?([bq])\?([^?\s]*)\?=/gi
const maxParameters = 20

/** By their names in small letters; of several with one name the first counts. Lines are bytes, one character each. */
export function parseHeaders(lines: readonly string[]): Map<string, string> {
  const headers = new Map<string, string>()
  const unfolded: string[] = []
  for (const line of lines) {
    if (/^[ \t]/.test(line) && unfolded.length > 0) unfolded[unfolded.length - 1] += ` ${line.trim()}`
    else unfolded.push(line)
  }
  for (const line of unfolded) {
    const colon = line.indexOf(':')
    const name = line.slice(0, Math.max(0, colon)).trim().toLowerCase()
    if (name !== '' && !headers.has(name)) headers.set(name, line.slice(colon + 1).trim())
  }
  return headers
}

/** In words; bytes beyond ASCII are UTF-8 where they can be. */
export function decodeWords(value: string): string {
  return asUnicode(value)
    .replace(/\?=\s+=\?/g, '?==?')
    .replace(encodedWord, (whole, charset: string, form: string, text: string) => {
      const isBase64 = form.toLowerCase() === 'b'
      const bytes = isBase64 ? Buffer.from(text, 'base64') : decodeQuoted(text.replaceAll('_', ' '))
      return decodeBytes(bytes, charset) ?? whole
    })
}

/** `name` of `text/plain; name="x"`, also where it is in another encoding or in several pieces. */
export function parameterOf(value: string, name: string): string | undefined {
  const plain = new RegExp(`;\\s*${name}\\s*=\\s*(?:"([^"]*)"|([^\\s;]+))`, 'i').exec(value)
  if (plain) return decodeWords(plain[1] ?? plain[2] ?? '')
  let joined = ''
  for (let index = -1; index < maxParameters; index++) {
    const part = index < 0 ? '' : `\\*${index}`
    const found = new RegExp(`;\\s*${name}${part}(\\*?)\\s*=\\s*(?:"([^"]*)"|([^\\s;]+))`, 'i').exec(value)
    if (found) joined += found[2] ?? found[3] ?? ''
    else if (index >= 0) break
  }
  return joined === '' ? undefined : decodeExtended(joined)
}

/** `utf-8'en'%e2%82%ac%20rates`. */
function decodeExtended(value: string): string {
  const [, charset, text = value] = /^([\w-]*)'[\w-]*'(.*)$/s.exec(value) ?? []
  const bytes = Buffer.from(
    text.replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    'latin1',
  )
  return decodeBytes(bytes, charset || 'utf-8') ?? text
}

export const decodeQuoted = (text: string): Buffer =>
  Buffer.from(
    text
      .replace(/=\r?\n/g, '')
      .replace(/=([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    'latin1',
  )

/** Undefined when nobody knows the encoding. */
export function decodeBytes(bytes: Uint8Array, charset: string): string | undefined {
  try {
    return new TextDecoder(charset).decode(bytes)
  } catch {
    return undefined
  }
}

/** Bytes, one character each, of text in UTF-8, or else in the encoding of the West. */
export function asUnicode(bytes: string): string {
  const buffer = Buffer.from(bytes, 'latin1')
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(buffer)
  } catch {
    return decodeBytes(buffer, 'windows-1252') ?? bytes
  }
}
