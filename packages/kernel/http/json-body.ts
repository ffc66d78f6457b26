// JSON bodies: bounded in bytes and depth, strict UTF-8.
import { isUtf8 } from 'node:buffer'
import { readBytes } from './body-bytes.ts'
import type { BodySource } from './body-source.ts'
import { isJson, parseContentType } from './content-type.ts'
import type { ErrorCatalogue } from './error.ts'
import { refuseNul } from './nul.ts'

const maxDepth = 64
/** JSON has no other way to write it. */
const escapedNul = '\\u0000'

export interface JsonLimits {
  errors: ErrorCatalogue
  maxJsonBytes: number
  idleMs: number
  /** JSON is taken whatever its content type says. */
  anyType?: boolean | undefined
}

/** Undefined when the body is empty. */
export async function readJson({ headers, openBody }: BodySource, limits: JsonLimits): Promise<unknown> {
  const { errors, maxJsonBytes } = limits
  if (Number(headers['content-length'] ?? 0) > maxJsonBytes) throw errors.bodyTooLarge(maxJsonBytes)
  const encoding = headers['content-encoding']
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
    throw errors.badRequest(`The content encoding '${encoding}' is not supported; send the body as it is.`)
  }
  const bytes = await readBytes(openBody(), maxJsonBytes, limits.idleMs)
  if (bytes.length === 0) return undefined
  // After reading: an empty body may come with any content type.
  if (!limits.anyType && !isJson(parseContentType(headers['content-type']))) {
    throw errors.unsupportedContentType(headers['content-type'] ?? '', 'application/json')
  }
  return parseJson(bytes, errors)
}

function parseJson(bytes: Buffer, errors: ErrorCatalogue): unknown {
  if (!isUtf8(bytes)) throw errors.invalidJson()
  const text = bytes.toString('utf8')
  if (text.trim() === '') return undefined
  const value = parseText(text, errors)
  if (isDeeperThan(value, maxDepth)) throw errors.jsonTooDeep(maxDepth)
  if (text.includes(escapedNul)) refuseNul(value, 'body', errors)
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
export function isDeeperThan(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (depth === 0) return true
  if (Array.isArray(value)) return value.some((item) => isDeeperThan(item, depth - 1))
  for (const key in value) {
    if (isDeeperThan((value as Record<string, unknown>)[key], depth - 1)) return true
  }
  return false
}
