// Stands before a registry and spoils what goes through it, as a test wishes.
import { once } from 'node:events'
import http, { createServer, type IncomingMessage, type ServerResponse } from 'node:http'

interface Fault {
  /** The connection is cut after so many bytes of the answer's body. */
  cutAnswerAfter?: number
  /** The same for the request's body. */
  cutRequestAfter?: number
  /** Changes the bytes of the answer's body; they may become more. */
  change?(chunk: Buffer): Buffer
  /** Answers by itself. */
  answer?(response: ServerResponse): void
}

export interface FaultyProxy {
  host: string
  /** Everything that was asked: `GET /v2/x/blobs/… bytes=100-`. */
  asked: string[]
  /** Asked for each request; undefined lets it pass. */
  fault: (request: IncomingMessage) => Fault | undefined
  stop(): Promise<void>
}

export async function startFaultyProxy(target: string): Promise<FaultyProxy> {
  const server = createServer((request, response) => {
    proxy.asked.push([request.method, request.url, request.headers.range].filter(Boolean).join(' '))
    const fault = proxy.fault(request)
    if (fault?.answer !== undefined) fault.answer(response)
    else forward(target, request, response, fault ?? {})
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  const proxy: FaultyProxy = {
    host: `127.0.0.1:${port}`,
    asked: [],
    fault: () => undefined,
    async stop() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
  return proxy
}

function forward(target: string, request: IncomingMessage, response: ServerResponse, fault: Fault): void {
  const [hostname, port] = target.split(':')
  // The host header stays: uploads have to come back through here.
  const onward = http.request({ hostname, port, method: request.method, path: request.url, headers: request.headers })
  const cut = (): void => {
    onward.destroy()
    request.socket.destroy()
  }
  onward.on('error', cut)
  onward.on('response', (answer) => {
    const { 'content-length': length, ...headers } = answer.headers
    response.writeHead(answer.statusCode ?? 500, fault.change === undefined ? answer.headers : headers)
    void length
    let passed = 0
    answer.on('data', (chunk: Buffer) => {
      const left = Math.max(0, (fault.cutAnswerAfter ?? Number.POSITIVE_INFINITY) - passed)
      passed += chunk.length
      const sent = fault.change?.(chunk) ?? chunk.subarray(0, left)
      response.write(sent, () => {
        if (passed >= (fault.cutAnswerAfter ?? Number.POSITIVE_INFINITY)) cut()
      })
    })
    answer.on('end', () => response.end())
    answer.on('error', cut)
  })
  let received = 0
  request.on('data', (chunk: Buffer) => {
    received += chunk.length
    if (received >= (fault.cutRequestAfter ?? Number.POSITIVE_INFINITY)) cut()
    else onward.write(chunk)
  })
  request.on('end', () => onward.end())
  request.on('error', cut)
}
