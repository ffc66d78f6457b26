// Cross-origin calls from browsers; refused by every browser unless configured.
import type { IncomingMessage } from 'node:http'
import type { FastifyCorsOptions } from '@fastify/cors'
import type { CorsOptions } from './options.ts'

const exposedHeaders = [
  'x-request-id',
  ...['requests', 'tokens'].flatMap((unit) =>
    ['limit', 'remaining', 'reset'].map((part) => `x-ratelimit-${part}-${unit}`),
  ),
  'retry-after',
]

export function corsOptions({ origins, credentials, maxAgeSeconds }: CorsOptions): FastifyCorsOptions {
  if (origins === '*' && credentials) throw new Error('CORS with credentials needs a list of origins.')
  return {
    origin: origins === '*' ? '*' : [...origins],
    methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
    credentials: credentials ?? false,
    exposedHeaders,
    maxAge: maxAgeSeconds ?? 600,
    // The plugin only sets headers; preflights are answered with all others, request id included.
    preflightContinue: true,
    strictPreflight: false,
  }
}

export const isPreflight = ({ method, headers }: IncomingMessage): boolean =>
  method === 'OPTIONS' && headers.origin !== undefined && headers['access-control-request-method'] !== undefined
