// A model server for tests, on a real socket, that behaves as badly as the test wants.
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'

interface Seen {
  method: string
  path: string
  headers: IncomingMessage['headers']
  body: Record<string, unknown>
  /** As it came; a form is not read further. */
  bytes: Buffer
}

export type Behaviour = (response: ServerResponse, seen: Seen, request: IncomingMessage) => unknown

export interface ModelServer {
  /** Ends in /v1. */
  url: string
  port: number
  /** Every request but health checks, in order. */
  seen: Seen[]
  /** Connections so far, and open now. */
  connections: number
  sockets: Set<Socket>
  /** Requests that are being answered. */
  active: number
  mostActive: number
  behave(behaviour: Behaviour): void
  /** Cuts everything, at once. */
  kill(): Promise<void>
}

export async function startModelServer(behaviour: Behaviour, port = 0): Promise<ModelServer> {
  let behave = behaviour
  const sockets = new Set<Socket>()
  const server = createServer((request, response) => {
    const pieces: Buffer[] = []
    request.on('data', (piece: Buffer) => pieces.push(piece))
    request.on('end', () => {
      if (request.method === 'GET' && request.url === '/v1/models') {
        response.end('{"object":"list","data":[]}')
        return
      }
      const bytes = Buffer.concat(pieces)
      const isJson = request.headers['content-type']?.startsWith('application/json') ?? true
      const body = isJson ? JSON.parse(bytes.toString() || '{}') : {}
      const { method = '', url: path = '', headers } = request
      const entry: Seen = { method, path, headers, body, bytes }
      model.seen.push(entry)
      model.mostActive = Math.max(model.mostActive, ++model.active)
      response.once('close', () => model.active--)
      behave(response, entry, request)
    })
  })
  server.on('connection', (socket) => {
    model.connections++
    sockets.add(socket)
    socket.on('error', () => {})
    socket.once('close', () => sockets.delete(socket))
  })
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  const actual = (server.address() as AddressInfo).port
  const model: ModelServer = {
    url: `http://127.0.0.1:${actual}/v1`,
    port: actual,
    seen: [],
    connections: 0,
    sockets,
    active: 0,
    mostActive: 0,
    behave(next) {
      behave = next
    },
    async kill() {
      if (!server.listening) return
      const closed = once(server, 'close')
      server.close()
      for (const socket of sockets) socket.resetAndDestroy()
      await closed
    },
  }
  return model
}

export const usage = { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 }

export const chatAnswer = (content: string): object => ({
  id: 'chatcmpl-1',
  object: 'chat.completion',
  created: 1,
  model: 'tiny-1',
  choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
  usage,
})

export function sendJson(response: ServerResponse, body: unknown, status = 200, headers: Record<string, string> = {}) {
  response.writeHead(status, { 'content-type': 'application/json', ...headers })
  response.end(typeof body === 'string' ? body : JSON.stringify(body))
}

export const answering =
  (content: string): Behaviour =>
  (response) =>
    sendJson(response, chatAnswer(content))

export const failing =
  (status: number, headers: Record<string, string> = {}, message = 'no'): Behaviour =>
  (response) =>
    sendJson(response, { error: { message, type: 'server_error', param: null, code: null } }, status, headers)

/** Each behaviour once; the last one for good. */
export const inTurn = (...behaviours: Behaviour[]): Behaviour => {
  let at = 0
  return (...args) => behaviours[Math.min(at++, behaviours.length - 1)]?.(...args)
}

export const event = (data: unknown): string => `data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`

export const step = (delta: object, finish_reason: string | null = null): object => ({
  id: 'chatcmpl-1',
  object: 'chat.completion.chunk',
  created: 1,
  model: 'tiny-1',
  choices: [{ index: 0, delta, finish_reason }],
})

export const startEvents = (response: ServerResponse): void => {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
}

export const streaming =
  (...contents: string[]): Behaviour =>
  (response) => {
    startEvents(response)
    response.write(event(step({ role: 'assistant', content: '' })))
    for (const content of contents) response.write(event(step({ content })))
    response.write(event(step({}, 'stop')))
    response.write(event({ model: 'tiny-1', choices: [], usage }))
    response.end(event('[DONE]'))
  }
