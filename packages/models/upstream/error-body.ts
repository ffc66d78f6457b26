// Finds the error in the body of a failed answer: servers of many makes write it in many ways.
import type { UpstreamError } from '../problem.ts'
import { FailedTry } from './problems.ts'

const maxMessageLetters = 2_000
/** Another try may meet another state of the server. */
const passingStatuses = new Set([408, 429, 500, 502, 503, 504])

/** Takes out what must not be seen. */
export type Redact = (text: string) => string

export function refusal(status: number, body: string, restMs: number | undefined, redact: Redact): FailedTry {
  if (status < 400) return new FailedTry(`The model's server answered with ${status}, which is not followed.`, 502, {})
  return failure(status, errorIn(parse(body), redact), restMs)
}

/** An error that came as an event of a stream: its status is a guess from its own words. */
export function errorEvent(event: Record<string, unknown>, redact: Redact): FailedTry {
  const error = errorIn(event, redact)
  const code = Number(error?.code)
  const status = code >= 400 && code < 600 ? code : error?.type === 'invalid_request_error' ? 400 : 502
  return failure(status, error, undefined)
}

function failure(status: number, error: UpstreamError | undefined, restMs: number | undefined): FailedTry {
  const message = error ? `The model's server refused: ${error.message}` : `The model's server answered with ${status}.`
  return new FailedTry(message, status, {
    error,
    again: passingStatuses.has(status),
    // One that said when to come back is busy, not broken.
    blame: status >= 500 && restMs === undefined ? 'failing' : 'none',
    restMs: passingStatuses.has(status) ? restMs : undefined,
  })
}

function errorIn(body: unknown, redact: Redact): UpstreamError | undefined {
  if (!isObject(body)) return undefined
  const inner = body.error ?? body
  if (typeof inner === 'string') return { message: shown(inner, redact) }
  if (!isObject(inner)) return undefined
  const message = messageOf(inner)
  if (message === undefined) return undefined
  return {
    message: shown(message, redact),
    type: text(inner.type, redact),
    param: text(inner.param, redact),
    code: typeof inner.code === 'number' ? inner.code : text(inner.code, redact),
  }
}

/** `message`, or `detail`: a text, or a list of findings. */
function messageOf({ message, detail }: Record<string, unknown>): string | undefined {
  if (typeof message === 'string') return message
  if (typeof detail === 'string') return detail
  if (!Array.isArray(detail)) return undefined
  const findings = detail.flatMap((entry) => (isObject(entry) && typeof entry.msg === 'string' ? [entry.msg] : []))
  return findings.length > 0 ? findings.join('; ') : undefined
}

const text = (value: unknown, redact: Redact): string | null =>
  typeof value === 'string' ? shown(value, redact) : null

/** Cut after the redaction: a key cut in two would not be found. */
const shown = (words: string, redact: Redact): string => {
  const clean = redact(words)
  return clean.length > maxMessageLetters ? `${clean.slice(0, maxMessageLetters)}…` : clean
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
