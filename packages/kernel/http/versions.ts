// Services whose callers speak one of several versions of the interface. The version stands in the path; handlers
// know only today's, and what older callers send and get is changed on the way.
import type { IncomingMessage } from 'node:http'
import type { HttpError } from './error.ts'
import type { AnyCallers, Host } from './host.ts'
import type { QueryValue } from './query-string.ts'
import type { Route } from './route.ts'

export interface Versions {
  /** Takes the version out of an address. Throws an error of the catalogue for a version that is not served. */
  read(url: string): { url: string; version: string }
  /** Throws an error of the catalogue for a route that a version does not have. */
  admit(route: Route<AnyCallers>, version: string): void
  /** What an older caller asks, in today's form. Unchecked yet: anything may stand in it. */
  query(route: Route<AnyCallers>, version: string, query: Record<string, QueryValue>): Record<string, QueryValue>
  body(route: Route<AnyCallers>, version: string, body: unknown): unknown
  /** Today's answer in the form of an older version. */
  answer(route: Route<AnyCallers>, version: string, answer: VersionedAnswer): VersionedAnswer
  error(version: string, error: HttpError): HttpError
  /** Names of the ways of older versions that handlers themselves have to keep to. */
  ways(version: string): ReadonlySet<string>
}

export interface VersionedAnswer {
  status: number
  value: unknown
}

interface VersionRead {
  version: string
  /** Why the version is not served. */
  refused?: unknown
}

const noWays: ReadonlySet<string> = new Set()
const versionsRead = new WeakMap<IncomingMessage, VersionRead>()

/** Once for each request, before anybody looks at its address: the version is taken out of it. */
export function readVersion({ service }: Host, request: IncomingMessage): VersionRead | undefined {
  if (service.versions === undefined) return undefined
  const known = versionsRead.get(request)
  if (known !== undefined) return known
  const read = takeOut(service.versions, request)
  versionsRead.set(request, read)
  return read
}

function takeOut(versions: Versions, request: IncomingMessage): VersionRead {
  try {
    const { url, version } = versions.read(request.url ?? '')
    request.url = url
    return { version }
  } catch (refused) {
    return { version: '', refused }
  }
}

/** Of a request that is being served: undefined when the service has no versions. */
export function versionOf({ host, request }: { host: Host; request: IncomingMessage }): string | undefined {
  const read = readVersion(host, request)
  if (read?.refused !== undefined) throw read.refused
  return read?.version
}

export function waysOf({ host, request }: { host: Host; request: IncomingMessage }): ReadonlySet<string> {
  const version = readVersion(host, request)?.version
  return version === undefined ? noWays : (host.service.versions?.ways(version) ?? noWays)
}
