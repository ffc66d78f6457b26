// Parts of a whole (RFC 9110, section 14): one range is served; several are answered with the whole, as the RFC allows.
import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'
import type { ByteRange, LinkedAnswer } from '../../blobs/blobs.ts'
import type { ErrorCatalogue } from '../error.ts'
import { bytes, empty, type Reply, redirect } from '../reply.ts'

/** Undefined: the whole is asked for, or something that may be answered with the whole. */
export function parseRange(header: string | undefined, size: number): ByteRange | 'unsatisfiable' | undefined {
  const match = /^\s*bytes\s*=\s*(\d*)\s*-\s*(\d*)\s*$/i.exec(header ?? '')
  if (match === null) return undefined
  const [, first = '', last = ''] = match
  if (first === '') return last === '' ? undefined : suffix(Number(last), size)
  const start = Number(first)
  const end = last === '' ? size - 1 : Math.min(Number(last), size - 1)
  if (last !== '' && Number(last) < start) return undefined // No range at all, says the RFC.
  return start >= size ? 'unsatisfiable' : { start, end }
}

const suffix = (length: number, size: number): ByteRange | 'unsatisfiable' =>
  length === 0 || size === 0 ? 'unsatisfiable' : { start: Math.max(0, size - length), end: size - 1 }

interface RangedBytes {
  size: number
  /** Offered to whoever saves the file. */
  filename: string
  contentType?: string
  /** Opens the bytes; not called for HEAD. */
  read(range?: ByteRange): Readable | Promise<Readable>
  /** Where else they are to be had, and a range of them. */
  link?: ((answer: LinkedAnswer) => Promise<string | undefined>) | undefined
  method: string
  headers: IncomingHttpHeaders
  errors: ErrorCatalogue
}

export async function rangedBytes(whole: RangedBytes): Promise<Reply> {
  const { size, filename, method, errors } = whole
  // An If-Range would need a validator, and none is given out: the whole is the right answer to it.
  const asked = whole.headers['if-range'] === undefined ? whole.headers.range : undefined
  const range = method === 'GET' ? parseRange(asked, size) : undefined
  if (range === 'unsatisfiable') throw errors.rangeNotSatisfiable(size)
  const contentType = whole.contentType ?? 'application/octet-stream'
  const disposition = contentDisposition(filename)
  const headers: Record<string, string> = {
    'content-type': contentType,
    'content-disposition': disposition,
    'accept-ranges': 'bytes',
    'content-length': String(range === undefined ? size : range.end - range.start + 1),
  }
  if (range !== undefined) headers['content-range'] = `bytes ${range.start}-${range.end}/${size}`
  if (method === 'HEAD') return empty(200, headers)
  const link = await whole.link?.({ contentType, contentDisposition: disposition })
  if (link !== undefined) return redirect(link)
  return bytes(await whole.read(range), headers, range === undefined ? 200 : 206)
}

/** RFC 6266: a plain name for old clients, the true one in UTF-8 for the rest. */
export function contentDisposition(filename: string): string {
  const plain = filename.replace(/[^\x20-\x7e]|["\\%]/g, '_')
  const exact = encodeURIComponent(filename.toWellFormed()).replace(/['()*]/g, percentEncode)
  return plain === filename
    ? `attachment; filename="${plain}"`
    : `attachment; filename="${plain}"; filename*=UTF-8''${exact}`
}

const percentEncode = (letter: string): string => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`
