// What the headers of a part say: its name, and of a file its own name and type.
import { parseContentType } from '../body/content-type.ts'
import { FormInvalid } from './form-invalid.ts'

export interface PartHead {
  name: string
  /** Absent: a text field. */
  filename: string | undefined
  mediaType: string
  charset: string | undefined
}

const maxNameLength = 256
const defaultType = 'text/plain'

/** `; name=value`, `; name="value"` or `; name*=charset'language'value`. */
const parameter = /;[ \t]*([^\s=;*"]+)(\*?)[ \t]*=[ \t]*(?:"((?:[^"\\]|\\.)*)"|([^\s;"]*))[ \t]*/y

/** Of the lines before the empty one. */
export function readPartHead(lines: readonly string[]): PartHead {
  const headers = readHeaders(lines)
  const { name, filename } = readDisposition(headers.get('content-disposition') ?? '')
  if (!name) throw new FormInvalid('A part has no name.')
  if (name.length > maxNameLength) {
    throw new FormInvalid(`The name of a part is longer than ${maxNameLength} characters.`)
  }
  const { mediaType, charset } = parseContentType(headers.get('content-type'))
  return { name, filename, mediaType: mediaType || defaultType, charset }
}

/** Of a header that comes twice the first counts. */
function readHeaders(lines: readonly string[]): Map<string, string> {
  const headers = new Map<string, string>()
  for (const line of unfolded(lines)) {
    const colon = line.indexOf(':')
    if (colon <= 0 || /[\r\n]/.test(line)) throw new FormInvalid('A line in the headers of a part is no header.')
    const name = line.slice(0, colon).toLowerCase()
    if (!headers.has(name)) headers.set(name, line.slice(colon + 1).trim())
  }
  return headers
}

/** A line that begins with white space goes on with the one before. */
function unfolded(lines: readonly string[]): string[] {
  const whole: string[] = []
  for (const line of lines) {
    if (/^[ \t]/.test(line) && whole.length > 0) whole.push(`${whole.pop()}${line}`)
    else whole.push(line)
  }
  return whole
}

function readDisposition(text: string): { name?: string; filename?: string } {
  const [kind = ''] = text.split(';', 1)
  if (kind.trim().toLowerCase() !== 'form-data') return {}
  const values: Record<string, string> = {}
  parameter.lastIndex = kind.length
  for (let end = kind.length; end < text.length; end = parameter.lastIndex) {
    const match = parameter.exec(text)
    if (match === null) throw new FormInvalid('A content-disposition of a part cannot be understood.')
    const [, key = '', star, quoted, plain = ''] = match
    const value = quoted === undefined ? plain : quoted.replace(/\\(["\\])/g, '$1')
    values[key.toLowerCase() + star] = star ? decoded(value) : value
  }
  const { name = values['name*'], filename } = values
  return { name, filename: values['filename*'] ?? filename }
}

/** The bytes of a text in a charset of its own. RFC 5987 */
function decoded(value: string): string {
  const [, charset = '', escaped = ''] = /^([^']*)'[^']*'(.*)$/.exec(value) ?? []
  const bytes = escaped.replace(/%([\da-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
  return textIn(charset, Buffer.from(bytes, 'latin1'))
}

export function textIn(charset: string, bytes: Buffer): string {
  try {
    return new TextDecoder(charset, { ignoreBOM: true }).decode(bytes)
  } catch {
    throw new FormInvalid(`The charset '${charset.slice(0, 64)}' is not known.`)
  }
}
