// The parts of a message, found as its lines come: what is text is gathered, what is attached is named and passed over.
import { Buffer } from 'node:buffer'
import { problems } from '../problems.ts'
import { asUnicode, decodeBytes, decodeQuoted, decodeWords, parameterOf, parseHeaders } from './mime-headers.ts'

export type MessagePart =
  | { part: 'message'; headers: ReadonlyMap<string, string>; depth: number }
  | { part: 'text'; text: string }
  | { part: 'html'; text: string }
  | { part: 'attachment'; name: string; type: string }

interface Multipart {
  boundary: string
  /** The same in several forms: the first with text is read. */
  isAlternative: boolean
  hasText: boolean
}

const maxHeaderLines = 2_000
const maxDepth = 20
const maxTextLength = 64 * 1024 ** 2

export class MimeParts {
  readonly #open: Multipart[] = []
  #headers: string[] | undefined = []
  /** The headers are those of a message, not of a part of one. */
  #isMessage = true
  #messages = 0
  #leaf: { headers: ReadonlyMap<string, string>; form: 'text' | 'html'; lines: string[] } | undefined
  #length = 0

  #boundaryOf(line: string): number {
    if (!line.startsWith('--')) return -1
    const text = line.trimEnd()
    return this.#open.findLastIndex(({ boundary }) => text === `--${boundary}` || text === `--${boundary}--`)
  }

  /** Without its end; bytes, one character each. */
  *line(line: string): Generator<MessagePart> {
    const level = this.#boundaryOf(line)
    if (level >= 0) {
      yield* this.#finishLeaf()
      const isLast = line.startsWith(`--${this.#open[level]?.boundary}--`)
      this.#open.length = isLast ? level : level + 1
      this.#headers = isLast ? undefined : []
      this.#isMessage = false
    } else if (this.#headers === undefined) this.#gather(line)
    else if (line === '') yield* this.#beginBody(this.#headers)
    else if (this.#headers.length < maxHeaderLines) this.#headers.push(line)
  }

  *end(): Generator<MessagePart> {
    if (this.#headers !== undefined && this.#headers.length > 0) yield* this.#beginBody(this.#headers)
    yield* this.#finishLeaf()
  }

  #gather(line: string): void {
    if (this.#leaf === undefined) return
    this.#length += line.length + 1
    if (this.#length > maxTextLength) throw problems.tooMuchText()
    this.#leaf.lines.push(line)
  }

  *#beginBody(lines: readonly string[]): Generator<MessagePart> {
    const headers = parseHeaders(lines)
    this.#headers = undefined
    if (this.#isMessage) yield { part: 'message', headers, depth: this.#messages++ }
    this.#isMessage = false
    const [type = ''] = (headers.get('content-type') ?? 'text/plain').toLowerCase().split(';')
    const boundary = parameterOf(headers.get('content-type') ?? '', 'boundary')
    const isPlainForm = !/base64|quoted/i.test(headers.get('content-transfer-encoding') ?? '')
    if (type.trim().startsWith('multipart/') && boundary) this.#beginMultipart(boundary, type)
    else if (type.trim() === 'message/rfc822' && isPlainForm && this.#messages < maxDepth) {
      this.#isMessage = true
      this.#headers = []
    } else yield* this.#beginLeaf(headers, type.trim())
  }

  #beginMultipart(boundary: string, type: string): void {
    if (this.#open.length >= maxDepth) throw problems.tooDeep()
    this.#open.push({ boundary, isAlternative: type.includes('alternative'), hasText: false })
  }

  *#beginLeaf(headers: ReadonlyMap<string, string>, type: string): Generator<MessagePart> {
    const disposition = headers.get('content-disposition') ?? ''
    const name = parameterOf(disposition, 'filename') ?? parameterOf(headers.get('content-type') ?? '', 'name')
    const isText = type === 'text/plain' || type === 'text/html'
    if (/^\s*attachment/i.test(disposition) || !isText || name !== undefined) {
      const isHidden = type.startsWith('multipart/') || type === ''
      if (!isHidden) yield { part: 'attachment', name: name ?? '', type }
    } else if (!this.#open.some(({ isAlternative, hasText }) => isAlternative && hasText))
      this.#leaf = { headers, form: type === 'text/html' ? 'html' : 'text', lines: [] }
  }

  *#finishLeaf(): Generator<MessagePart> {
    const leaf = this.#leaf
    this.#leaf = undefined
    if (leaf === undefined) return
    const text = decodedBody(leaf.headers, leaf.lines.join('\n'))
    if (text.trim() === '') return
    for (const multipart of this.#open) multipart.hasText = true
    yield { part: leaf.form, text }
  }
}

function decodedBody(headers: ReadonlyMap<string, string>, body: string): string {
  const encoding = (headers.get('content-transfer-encoding') ?? '').trim().toLowerCase()
  const bytes =
    encoding === 'base64'
      ? Buffer.from(body, 'base64')
      : encoding === 'quoted-printable'
        ? decodeQuoted(body)
        : Buffer.from(body, 'latin1')
  const charset = parameterOf(headers.get('content-type') ?? '', 'charset')
  const isVague = charset === undefined || /^(us-ascii|unknown.*|default)$/i.test(charset)
  return (isVague ? undefined : decodeBytes(bytes, charset)) ?? asUnicode(bytes.toString('latin1'))
}

/** What is worth reading of a message's headers. */
export const shownHeaders = (headers: ReadonlyMap<string, string>): [name: string, value: string][] =>
  ['Subject', 'From', 'To', 'Cc', 'Date'].flatMap((name): [string, string][] => {
    const value = decodeWords(headers.get(name.toLowerCase()) ?? '').trim()
    return value === '' ? [] : [[name, value]]
  })
