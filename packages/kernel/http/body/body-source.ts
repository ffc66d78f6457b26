// Where a body comes from.
import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'

export interface BodySource {
  headers: IncomingHttpHeaders
  /** Tells a client that waits for leave (`Expect: 100-continue`) to go on. Called once, when the body is wanted. */
  openBody: () => Readable
}
