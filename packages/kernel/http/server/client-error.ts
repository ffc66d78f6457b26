// Answers what is no HTTP: the connection has no request yet, so the answer is written by hand.
import type { Socket } from 'node:net'
import { rawResponse } from '../answer/raw-response.ts'
import type { Host } from '../host.ts'

interface ProtocolError extends Error {
  code?: string
}

const statuses: Record<string, { status: number; reason: string }> = {
  HPE_HEADER_OVERFLOW: { status: 431, reason: 'The headers of the request are too large.' },
  HPE_CHUNK_EXTENSIONS_OVERFLOW: { status: 413, reason: 'The chunk extensions of the request are too large.' },
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, reason: 'The headers of the request took too long.' },
}

const malformed = { status: 400, reason: 'The request is not valid HTTP.' }

/** How long a client may go on sending before its connection is cut. */
const lingerMs = 1000

const answered = new WeakSet<Socket>()

export function onClientError(host: Host, error: ProtocolError, socket: Socket): void {
  if (answered.has(socket)) return // The parser goes on failing on whatever else arrives.
  answered.add(socket)
  const isMidResponse = (socket as { _httpMessage?: { headersSent: boolean } })._httpMessage?.headersSent === true
  if (error.code === 'ECONNRESET' || !socket.writable || isMidResponse) {
    socket.destroy()
    return
  }
  try {
    answer(host, error, socket)
  } catch (unexpected) {
    host.log.error({ error: unexpected }, 'An error could not be sent')
    socket.destroy()
  }
}

function answer(host: Host, error: ProtocolError, socket: Socket): void {
  const { status, reason } = statuses[error.code ?? ''] ?? malformed
  const id = `req_${host.ids.hex()}`
  const head = {
    id,
    method: '',
    path: '',
    headers: {},
    address: socket.remoteAddress ?? '',
    isEncrypted: 'encrypted' in socket,
  }
  const { body, headers } = host.service.errors.badRequest(reason)
  const own = host.service.responseHeaders?.({ head, caller: undefined, elapsedMs: 0 })
  socket.end(rawResponse(status, JSON.stringify(body), { ...own, ...headers, 'x-request-id': id }))
  host.log.info({ request_id: id, status, code: error.code }, 'A request was not valid HTTP')
  setTimeout(() => socket.destroy(), lingerMs).unref()
}
