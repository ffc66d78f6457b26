// Cross-origin calls from browsers; refused by every browser unless configured.
import type { IncomingMessage } from 'node:http'
import type { Headers } from '../exchange.ts'
import type { CorsOptions } from '../options.ts'

const methods = 'GET, HEAD, POST, PUT, PATCH, DELETE'
const defaultMaxAgeSeconds = 600
const exposedHeaders = [
  'x-request-id',
  ...['requests', 'tokens'].flatMap((unit) =>
    ['limit', 'remaining', 'reset'].map((part) => `x-ratelimit-${part}-${unit}`),
  ),
  'retry-after',
].join(', ')

/** Makes the headers that let a page of an allowed origin read the answer. */
export function corsHeaders(options: CorsOptions): (request: IncomingMessage) => Headers {
  const { origins, credentials } = options
  if (origins === '*' && credentials) throw new Error('CORS with credentials needs a list of origins.')
  return (request) => {
    const { origin } = request.headers
    const vary: Headers = origins === '*' ? {} : { vary: 'Origin' }
    if (origin === undefined || !(origins === '*' || origins.includes(origin))) return vary
    return {
      ...vary,
      'access-control-allow-origin': origins === '*' ? '*' : origin,
      'access-control-expose-headers': exposedHeaders,
      ...(credentials ? { 'access-control-allow-credentials': 'true' } : {}),
      ...(isPreflight(request) ? preflightHeaders(request, options) : {}),
    }
  }
}

/** A page that may call at all may send any header: the key decides what it gets. */
const preflightHeaders = ({ headers }: IncomingMessage, { maxAgeSeconds }: CorsOptions): Headers => ({
  'access-control-allow-methods': methods,
  'access-control-allow-headers': headers['access-control-request-headers'] ?? '',
  'access-control-max-age': String(maxAgeSeconds ?? defaultMaxAgeSeconds),
})

export const isPreflight = ({ method, headers }: IncomingMessage): boolean =>
  method === 'OPTIONS' && headers.origin !== undefined && headers['access-control-request-method'] !== undefined
