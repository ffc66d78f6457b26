// HTTP responses as text, for connections that node's HTTP server does not answer itself.
import { http } from '../server/node-http.ts'

type Headers = Record<string, string>

export function rawHead(status: number, headers: Headers): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${clean(value)}\r\n`)
  return `HTTP/1.1 ${status} ${http.STATUS_CODES[status] ?? 'Unknown'}\r\n${lines.join('')}\r\n`
}

/** A JSON answer after which the connection closes. */
export function rawResponse(status: number, body: string, headers: Headers): string {
  const own = {
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(body)),
    date: new Date().toUTCString(),
    connection: 'close',
  }
  return rawHead(status, { ...headers, ...own }) + body
}

/** No value can start a header of its own. */
const clean = (value: string): string => value.replace(/[\r\n]+/g, ' ')
