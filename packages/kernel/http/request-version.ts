// The version that a request speaks, taken out of its address.
import type { IncomingMessage } from 'node:http'
import type { Host } from './host.ts'
import type { Versions } from './versions.ts'

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
