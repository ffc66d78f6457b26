// How a call ended: a code and words, and where a client looks for more, details.

export const codes = {
  ok: 0,
  cancelled: 1,
  unknown: 2,
  invalidArgument: 3,
  deadlineExceeded: 4,
  notFound: 5,
  alreadyExists: 6,
  permissionDenied: 7,
  resourceExhausted: 8,
  failedPrecondition: 9,
  aborted: 10,
  unimplemented: 12,
  internal: 13,
  unavailable: 14,
} as const

export class GrpcFailure extends Error {
  readonly code: number
  /** A `google.rpc.Status`, encoded. */
  readonly details: Uint8Array | undefined

  constructor(code: number, message: string, details?: Uint8Array) {
    super(message)
    this.code = code
    this.details = details
  }
}

const maxMessageLength = 16 * 1024

/** As trailers have it; words outside of printable ASCII are escaped. */
export function statusHeaders(code: number, message = '', details?: Uint8Array): Record<string, string> {
  const words = message.slice(0, maxMessageLength).replace(/[^ -~]|%/gu, (letter) => encodeLetter(letter))
  return {
    'grpc-status': String(code),
    ...(words !== '' && { 'grpc-message': words }),
    ...(details && { 'grpc-status-details-bin': Buffer.from(details).toString('base64') }),
  }
}

const encodeLetter = (letter: string): string =>
  [...Buffer.from(letter, 'utf8')].map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`).join('')

/** Undefined: it ended well. */
export function failureOf(headers: Record<string, unknown>): GrpcFailure | undefined {
  const code = Number(headers['grpc-status'] ?? codes.unknown)
  if (code === codes.ok) return undefined
  const message = typeof headers['grpc-message'] === 'string' ? headers['grpc-message'] : ''
  return new GrpcFailure(code, decodeWords(message) || `the call ended with code ${code}`)
}

function decodeWords(words: string): string {
  try {
    return decodeURIComponent(words)
  } catch {
    return words
  }
}
