// Announces a body and sends none of it: whoever answers has not waited for it.
import { request } from 'node:http'

interface Announced {
  method: string
  headers?: Record<string, string>
  bytes: number
}

/** The status. */
export function statusBeforeBody(url: string, { method, headers = {}, bytes }: Announced): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>()
  const outgoing = request(url, { method, agent: false, headers: { ...headers, 'content-length': bytes } })
  outgoing.on('response', ({ statusCode = 0 }) => {
    resolve(statusCode)
    outgoing.destroy()
  })
  outgoing.on('error', reject)
  outgoing.flushHeaders()
  return promise
}
