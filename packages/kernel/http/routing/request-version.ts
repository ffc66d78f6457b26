// The version that a request speaks, taken out of its address.
import type { IncomingMessage } from 'node:http'
import type { Host } from '../host.ts'
import type { Versions } from './versions.ts'

interface VersionRead {
  version: string
  /** Why the version is not served. */
  refused?: unknown
}

const noWays: ReadonlySet<string> = new Set()
/** Kept on the request itself: with one entry a request, a WeakMap is work for every garbage collection. */
const versionRead = Symbol('version')
type VersionedRequest = IncomingMessage & { [versionRead]?: VersionRead }

/** Once for each request, before anybody looks at its address: the version is taken out of it. */
export function readVersion({ service }: Host, request: VersionedRequest): VersionRead | undefined {
  if (service.versions === undefined) return undefined
  request[versionRead] ??= takeOut(service.versions, request)
  return request[versionRead]
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
