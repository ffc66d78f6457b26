// Reads the body of a hook: any content type, bounded in size, time and depth.
import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'
import { BodyTooLarge, readBytes } from '@atoll/kernel/http/body/body-bytes'
import { refuseEncoded } from '@atoll/kernel/http/body/content-encoding'
import { parseJson } from '@atoll/kernel/http/body/json-body'
import { defaultBounds } from '@atoll/kernel/http/json/bounds'
import { kernelErrors } from '../errors.ts'
import { isForm, readForm, wrappedJson } from './form.ts'

export interface BodyLimits {
  maxBodyBytes: number
  /** For the whole of it: a body that comes byte by byte is given up too. */
  bodySeconds: number
}

interface Incoming {
  headers: IncomingHttpHeaders
  body: Readable
}

export async function readHookBody({ headers, body }: Incoming, limits: BodyLimits): Promise<Buffer> {
  const { maxBodyBytes, bodySeconds } = limits
  if (Number(headers['content-length'] ?? 0) > maxBodyBytes) throw kernelErrors.bodyTooLarge(maxBodyBytes)
  refuseEncoded(headers, kernelErrors)
  const wholeMs = bodySeconds * 1000
  try {
    return await readBytes(body, { maxBytes: maxBodyBytes, idleMs: wholeMs, wholeMs })
  } catch (error) {
    throw error instanceof BodyTooLarge ? kernelErrors.bodyTooLarge(maxBodyBytes) : error
  }
}

/** Nothing, and JSON that is no object, is an empty one. Throws what is wrong with the rest. */
export async function parsePayload(bytes: Buffer): Promise<Record<string, unknown>> {
  const value = await parseJson(withoutMark(bytes), defaultBounds, kernelErrors)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return {}
  return value as Record<string, unknown>
}

/** Of mapped hooks, whose senders may fill in a form instead. */
export async function parseMappedPayload(bytes: Buffer, contentType: string | undefined) {
  if (!isForm(bytes, contentType)) return parsePayload(bytes)
  const form = readForm(bytes.toString('utf8'))
  const json = wrappedJson(form)
  return json === undefined ? form : parsePayload(Buffer.from(json))
}

/** Some programs begin every text with a byte order mark; it is none of the JSON. */
const withoutMark = (bytes: Buffer): Buffer =>
  bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes
