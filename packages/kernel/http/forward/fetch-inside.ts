// The web's `fetch` over connections inside this process: for a client beside the server that it asks.
import { type IncomingMessage, request } from 'node:http'
import { type Duplex, Readable } from 'node:stream'

const withoutBody = [204, 205, 304]

/** All connections lead to one server: of a request's address only the path counts. */
export function fetchInside(connect: () => Duplex): typeof fetch {
  return async (input, init) => {
    const asked = new Request(input, init)
    const answer = await send(connect, asked, Buffer.from(await asked.arrayBuffer()))
    const { statusCode: status = 502, statusMessage: statusText = '' } = answer
    const body = withoutBody.includes(status) ? null : (Readable.toWeb(answer) as ReadableStream)
    return new Response(body, { status, statusText, headers: headersOf(answer) })
  }
}

function send(connect: () => Duplex, asked: Request, body: Buffer): Promise<IncomingMessage> {
  const { method, signal, headers } = asked
  const { host, pathname, search } = new URL(asked.url)
  const connection = connect()
  // On one that has ended already, a request would wait for ever.
  if (connection.destroyed) return Promise.reject(new Error('The server is closing.'))
  return new Promise((resolve, reject) => {
    const sent = request({
      createConnection: () => connection,
      method,
      path: pathname + search,
      signal,
      headers: { ...Object.fromEntries(headers), host, 'content-length': body.length },
    })
    sent.on('response', resolve)
    sent.on('error', reject)
    sent.end(body)
  })
}

function headersOf({ rawHeaders }: IncomingMessage): Headers {
  const headers = new Headers()
  for (let at = 0; at < rawHeaders.length; at += 2) headers.append(rawHeaders[at] ?? '', rawHeaders[at + 1] ?? '')
  return headers
}
