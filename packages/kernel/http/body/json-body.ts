// JSON bodies: bounded in bytes, depth and number of values, strict UTF-8. Small ones are parsed whole; of large ones
// each piece is read when it arrives, in small steps.
import { isUtf8 } from 'node:buffer'
import { inTurns } from '../../loop-turns.ts'
import type { ErrorCatalogue } from '../error.ts'
import { type JsonBounds, JsonInvalid, JsonRefused } from '../json/bounds.ts'
import { JsonReader } from '../json/json-reader.ts'
import { refuseNul, refuseNulAt } from '../validation/nul.ts'
import { type ReadLimits, readPieces, wholeOf } from './body-bytes.ts'
import type { BodySource } from './body-source.ts'
import { refuseEncoded } from './content-encoding.ts'
import { isJson, parseContentType } from './content-type.ts'

/** What takes a fraction of a millisecond to parse, whatever it is. */
const smallBytes = 32 * 1024
/** As long as that of a large one. */
const stepBytes = 16 * 1024
/** JSON has no other way to write it. */
const escapedNul = '\\u0000'

export interface JsonLimits extends ReadLimits {
  errors: ErrorCatalogue
  bounds: JsonBounds
}

/** Undefined when the body is empty. */
export async function readJson({ headers, openBody }: BodySource, limits: JsonLimits): Promise<unknown> {
  const { errors, maxBytes, bounds } = limits
  if (Number(headers['content-length'] ?? 0) > maxBytes) throw errors.bodyTooLarge(maxBytes)
  refuseEncoded(headers, errors)
  const body = new JsonBody(bounds, () => {
    // Once there is something: an empty body may come with any content type.
    if (isJson(parseContentType(headers['content-type']))) return
    throw errors.unsupportedContentType(headers['content-type'] ?? '', 'application/json')
  })
  try {
    await readPieces(openBody(), limits, (piece) => body.take(piece))
    return body.value(errors)
  } catch (error) {
    throw refusal(error, errors)
  }
}

/** Of bytes that are all there. A NUL is let through: whoever keeps the bytes themselves can keep it. */
export async function parseJson(bytes: Buffer, bounds: JsonBounds, errors: ErrorCatalogue): Promise<unknown> {
  const body = new JsonBody(bounds)
  try {
    for (let at = 0; at < bytes.length; at += smallBytes) await body.take(bytes.subarray(at, at + smallBytes))
    return body.value(errors, true)
  } catch (error) {
    throw refusal(error, errors)
  }
}

class JsonBody {
  readonly #bounds: JsonBounds
  readonly #begin: () => void
  readonly #pieces: Buffer[] = []
  #bytes = 0
  #reader: JsonReader | undefined

  constructor(bounds: JsonBounds, begin = () => {}) {
    this.#bounds = bounds
    this.#begin = begin
  }

  take(piece: Buffer): Promise<void> | undefined {
    if (this.#bytes === 0) this.#begin()
    this.#bytes += piece.length
    this.#pieces.push(piece)
    if (this.#bytes <= smallBytes) return undefined
    const reader = this.#reader ?? new JsonReader(this.#bounds)
    this.#reader = reader
    return inTurns(() => this.#readOn(reader))
  }

  value(errors: ErrorCatalogue, mayHaveNul = false): unknown {
    if (this.#reader === undefined) return parseSmall(wholeOf(this.#pieces), this.#bounds, errors, mayHaveNul)
    const value = this.#reader.end()
    if (this.#reader.nulPath !== undefined && !mayHaveNul) refuseNulAt(this.#reader.nulPath, 'body', errors)
    return value
  }

  /** True when all that came so far is read. */
  #readOn(reader: JsonReader): boolean {
    const [piece] = this.#pieces
    if (piece === undefined) return true
    reader.push(piece.subarray(0, stepBytes))
    if (piece.length > stepBytes) this.#pieces[0] = piece.subarray(stepBytes)
    else this.#pieces.shift()
    return this.#pieces.length === 0
  }
}

function parseSmall(bytes: Buffer, { maxDepth }: JsonBounds, errors: ErrorCatalogue, mayHaveNul: boolean): unknown {
  if (!isUtf8(bytes)) throw errors.invalidJson()
  const text = bytes.toString('utf8')
  if (text.trim() === '') return undefined
  const value = parseText(text, errors)
  if (isDeeperThan(value, maxDepth)) throw errors.jsonTooDeep(maxDepth)
  if (!mayHaveNul && text.includes(escapedNul)) refuseNul(value, 'body', errors)
  return value
}

function parseText(text: string, errors: ErrorCatalogue): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw errors.invalidJson()
  }
}

/** Goes no deeper than `depth` itself, so that no input can exhaust the stack. */
function isDeeperThan(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (depth === 0) return true
  if (Array.isArray(value)) return value.some((item) => isDeeperThan(item, depth - 1))
  for (const key in value) {
    if (isDeeperThan((value as Record<string, unknown>)[key], depth - 1)) return true
  }
  return false
}

function refusal(error: unknown, errors: ErrorCatalogue): unknown {
  if (error instanceof JsonInvalid) return errors.invalidJson()
  if (!(error instanceof JsonRefused)) return error
  if (error.reason === 'depth') return errors.jsonTooDeep(error.limit)
  const what = error.reason === 'keys' ? 'An object of the JSON body has more than' : 'The JSON body has more than'
  return errors.badRequest(`${what} ${error.limit} ${error.reason}.`)
}
