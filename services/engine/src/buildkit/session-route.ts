// A client's connection turned around: the engine asks, and the client offers files, secrets and credentials.
import type { IncomingHttpHeaders } from 'node:http'
import { hijack } from '@atoll/kernel/http/reply'
import { defineRoute } from '../callers.ts'
import { invalidParameter, notImplemented } from '../errors.ts'
import { whenWritten } from '../grpc/take-over.ts'
import type { SessionOffer, Sessions } from './session/sessions.ts'

const maxIdLength = 200
const header = 'x-docker-expose-session-'

export const sessionRoutes = (sessions: Sessions) => [
  defineRoute({
    method: 'POST',
    path: '/session',
    auth: 'anyone',
    summary: 'Offer files and secrets to builds',
    response: 'raw',
    handler: ({ headers, ways }) => {
      // ENG-721, ENG-722
      if (ways.has('session-is-experimental')) throw notImplemented(experimentalWords)
      const offer = readOffer(headers)
      sessions.check(offer)
      return hijack((connection) => whenWritten(connection, () => sessions.add(offer, connection)))
    },
  }),
]

const experimentalWords =
  'This experimental feature is disabled by default. Start the Docker daemon in experimental mode in order to enable it.'

function readOffer(headers: IncomingHttpHeaders): SessionOffer {
  requireH2c(headers)
  const id = headers[`${header}uuid`]
  if (typeof id !== 'string' || id === '' || id.length > maxIdLength) {
    throw invalidParameter('X-Docker-Expose-Session-Uuid is missing')
  }
  // Node joins headers that come several times.
  const methods = [headers[`${header}grpc-method`] ?? []].flat().flatMap((line) => line.split(/,\s*/))
  const sharedKey = headers[`${header}sharedkey`]
  return { id, methods: new Set(methods.filter(Boolean)), sharedKey: typeof sharedKey === 'string' ? sharedKey : '' }
}

/** What follows is HTTP/2 without TLS, and nothing else. */
export function requireH2c({ upgrade }: IncomingHttpHeaders): void {
  if (upgrade?.toLowerCase() === 'h2c') return
  const why = upgrade === undefined ? 'no upgrade was asked for' : 'the upgrade that was asked for is not supported'
  throw invalidParameter(`${why}: send Connection: Upgrade and Upgrade: h2c`)
}
