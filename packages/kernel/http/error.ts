// Errors that reach a caller. Each service has one catalogue that makes all of its own; the kernel asks it for the rest.
export class HttpError extends Error {
  readonly status: number
  readonly body: unknown
  readonly headers: Record<string, string>

  constructor(status: number, message: string, body: unknown, headers: Record<string, string> = {}) {
    super(message)
    this.name = 'HttpError'
    this.status = status
    this.body = body
    this.headers = headers
  }
}

/** What is wrong with one input, in words a catalogue can turn into its own. */
export interface Issue {
  kind: 'missing' | 'type' | 'value' | 'unknown' | 'too_big' | 'too_small' | 'format' | 'other'
  place: 'body' | 'query' | 'path'
  /** `messages[0].content`; null when the input as a whole is wrong. */
  param: string | null
  /** A plain sentence, for catalogues with no words of their own. */
  message: string
  /** missing, type: what was expected ("a string", "an array of objects") and what came ("an integer"). */
  expected?: string
  received?: string
  /** value: what is allowed; `received` then quotes what came ("'x'"). */
  supported?: readonly (string | number | boolean | null)[]
  /** unknown: every name that is not known, and for each the nearest known one, if any is near. Whole paths, as `param`. */
  unknown?: readonly { name: string; nearest?: string }[]
  /** too_big, too_small: the bound that was crossed. */
  bound?: {
    of: 'string' | 'integer' | 'decimal' | 'array' | 'object'
    limit: number
    inclusive: boolean
    actual?: number
  }
}

/** The errors the kernel itself may have to give, in the words and shape of the service. */
export interface ErrorCatalogue {
  invalid(issue: Issue): HttpError
  invalidJson(): HttpError
  jsonTooDeep(maxDepth: number): HttpError
  invalidMultipart(reason: string): HttpError
  unsupportedContentType(received: string, expected: string): HttpError
  unsupportedContentEncoding(received: string): HttpError
  bodyTooLarge(maxBytes: number): HttpError
  fileTooLarge(param: string, maxBytes: number): HttpError
  bodyTooSlow(): HttpError
  unknownUrl(method: string, path: string): HttpError
  methodNotAllowed(method: string, path: string, allowed: string[]): HttpError
  badRequest(reason: string): HttpError
  /** HTTP Range that cannot be served; `size` is the size of the whole. */
  rangeNotSatisfiable(size: number): HttpError
  storageFull(): HttpError
  unavailable(retryAfterSeconds: number): HttpError
  internal(requestId: string): HttpError
}
