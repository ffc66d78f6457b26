// What is kept of the headers of a request: nothing that proves who sent it, and no more than a page.
import type { IncomingHttpHeaders } from 'node:http'

const secretName = /auth|token|secret|passw|cookie|signature|api-?key|credential|session/
const maxHeaders = 60
const maxValueLength = 2_000

/** `signedBy`: the header of the sender's signature, whatever its name. */
export function keptHeaders(headers: IncomingHttpHeaders, signedBy?: string): Record<string, string> {
  const kept: Record<string, string> = {}
  let count = 0
  for (const name in headers) {
    const value = headers[name]
    if (value === undefined || name === signedBy || isSecret(name) || count >= maxHeaders) continue
    kept[name] = (typeof value === 'string' ? value : value.join(', ')).slice(0, maxValueLength)
    count += 1
  }
  return kept
}

const known = new Map<string, boolean>()
const maxKnown = 1_000

/** Most senders use the same few names. */
function isSecret(name: string): boolean {
  const answer = known.get(name)
  if (answer !== undefined) return answer
  const isOne = secretName.test(name)
  if (known.size < maxKnown) known.set(name, isOne)
  return isOne
}
