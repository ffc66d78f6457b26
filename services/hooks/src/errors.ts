// Every error the gateway gives: `{ok: false, error}`; plain text where the sender asked in the wrong place.
import { type ErrorCatalogue, HttpError, type Issue } from '@atoll/kernel/http/error'

type Headers = Record<string, string>

const error = (status: number, words: string, headers?: Headers): HttpError =>
  new HttpError(status, words, { ok: false, error: words }, headers)

const plain = (status: number, words: string, headers?: Headers): HttpError =>
  new HttpError(status, words, words, headers)

const waitFor = (ms: number): Headers => ({ 'retry-after': String(Math.max(1, Math.ceil(ms / 1000))) })

/** What is wrong with the body, in words (HOOK-084, HOOK-085). */
export const invalidBody = (words: string): HttpError => error(400, words)

// Who is calling.
/** The same whatever was wrong: it tells nothing (HOOK-083). */
export const unauthorized = (): HttpError => plain(401, 'Unauthorized', { 'www-authenticate': 'Bearer' })
export const tooManyFailures = (retryAfterMs: number): HttpError =>
  error(429, 'too many failed authentications', waitFor(retryAfterMs))

// The way in.
export const noSuchHook = (): HttpError => plain(404, 'Not Found')
export const mappingFailed = (): HttpError => error(500, 'hook mapping failed')
export const keyReused = (): HttpError =>
  error(409, 'this idempotency key was used for another body; use a new key for it')
export const queueFull = (retryAfterMs: number): HttpError =>
  error(503, 'the queue is full; try again later', waitFor(retryAfterMs))

// For whoever looks after the gateway.
export const noSuchDelivery = (id: string): HttpError => error(404, `there is no delivery ${id}`)
export const noSuchMapping = (id: string): HttpError => error(404, `there is no mapping ${id}`)
export const notDead = (id: string): HttpError =>
  error(409, `${id} was not given up; to do a delivery again, replay it`)
export const notFound = (what: string): HttpError => error(404, `there is no ${what}`)

function describe({ kind, place, param, message, expected, received, supported, unknown }: Issue): string {
  const name = param ?? (place === 'body' ? 'the body' : place)
  if (kind === 'missing') return `${name} required`
  if (kind === 'type') return `${name} must be ${expected}, got ${received}`
  if (kind === 'value') return `${name} must be ${(supported ?? []).join('|')}`
  if (kind === 'too_big' || kind === 'too_small') return message // Names it already.
  if (kind !== 'unknown') return `${name}: ${message}`
  const names = (unknown ?? []).map(({ name: each, nearest }) => each + (nearest ? ` (did you mean ${nearest}?)` : ''))
  return `unknown ${place === 'query' ? 'query parameter' : 'field'}: ${names.slice(0, 10).join(', ')}`
}

export const kernelErrors: ErrorCatalogue = {
  invalid: (issue) => error(400, describe(issue)),
  invalidJson: () => error(400, 'the body is not valid JSON'),
  jsonTooDeep: (maxDepth) => error(400, `the JSON is nested more than ${maxDepth} levels deep`),
  invalidMultipart: (reason) => error(400, reason),
  unsupportedContentType: (received, expected) =>
    error(400, `expected a body of type ${expected}, got ${received || 'none'}`),
  unsupportedContentEncoding: (received) =>
    error(400, `content encoding ${received} is not supported; send the body as it is`),
  bodyTooLarge: (maxBytes) => error(413, `payload too large: it may have ${maxBytes} bytes at most`),
  fileTooLarge: (param, maxBytes) => error(413, `${param} may have ${maxBytes} bytes at most`),
  bodyTooSlow: () => error(408, 'the body took too long'),
  unknownUrl: () => noSuchHook(),
  methodNotAllowed: () => plain(405, 'Method Not Allowed'),
  badRequest: (reason) => error(400, reason),
  rangeNotSatisfiable: (size) => error(416, `the whole has ${size} bytes`),
  storageFull: () => error(507, 'no space is left on this machine'),
  unavailable: (retryAfterSeconds) =>
    error(503, 'the gateway is busy; try again later', waitFor(retryAfterSeconds * 1000)),
  internal: (requestId) => error(500, `an internal error, logged under request ${requestId}`),
}
