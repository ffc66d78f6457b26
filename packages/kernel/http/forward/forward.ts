// Asks another server of this machine in a caller's place. The request is made anew: nothing of the caller's credentials
// goes on, and of the answer's headers only those that describe its body come back.
import type { IncomingMessage } from 'node:http'
import { hasBody } from '../answer/drain.ts'
import { sendBytes, sendEmpty } from '../answer/send.ts'
import { readPieces } from '../body/body-bytes.ts'
import type { Endpoint } from '../endpoint.ts'
import type { Headers, LiveExchange } from '../exchange.ts'
import type { ServerRoute } from '../routing/router.ts'
import { http } from '../server/node-http.ts'
import type { Destination, Forwarding } from './forwarding.ts'

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']

const sentOn = ['accept', 'content-type', 'content-length', 'idempotency-key', 'last-event-id', 'prefer', 'range']
const sentBack = [
  'content-type',
  'content-length',
  'content-range',
  'content-disposition',
  'retry-after',
  'x-docker-container-path-stat',
]

/** Whatever an answer holds: no browser shows it as a page, keeps it, or gives it to another site. */
const always: Headers = {
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-store',
}

export function forwardRoutes(forwarding: Forwarding): ServerRoute[] {
  const { path, admit, unreachable, maxAtOnce } = forwarding
  let underWay = 0
  const endpoint: Endpoint = async (exchange) => {
    exchange.addHeaders(always)
    const { errors } = exchange.host.service
    const { name, target } = destinationOf(exchange.path.slice(path.length))
    const destination = await admit(exchange, name)
    if (isClimbing(target)) throw errors.unknownUrl(exchange.method, exchange.path)
    if (underWay >= maxAtOnce) throw errors.unavailable(1)
    underWay += 1
    let watching: NodeJS.Timeout | undefined
    exchange.response.once('close', () => {
      underWay -= 1
      clearInterval(watching)
    })
    const ended = await destination.record?.({ method: exchange.method, path: target, search: exchange.search })
    const asked = ask(exchange, forwarding, { destination, target })
    const answer = await asked.catch(async (error: NodeJS.ErrnoException) => {
      await ended?.(badGateway)
      throw notAnswering.has(error.code ?? '') ? unreachable(name) : error
    })
    await ended?.(answer.statusCode ?? badGateway).catch((error: unknown) => {
      answer.destroy()
      throw error
    })
    if (!exchange.response.closed) watching = cutWhenOver(exchange, destination, forwarding.recheckMs)
    send(exchange, answer)
  }
  return [{ methods, path: `${path}/:name/*`, endpoint }]
}

const badGateway = 502
const notAnswering = new Set(['ECONNREFUSED', 'ENOENT', 'ECONNRESET', 'EPIPE', 'EACCES'])

/** As it was sent, since decoding is the destination's affair: `/engine/a%2Fb` is `/a%2Fb` of `engine`. */
function destinationOf(below: string): { name: string; target: string } {
  const slash = below.indexOf('/', 1)
  return { name: below.slice(1, slash), target: below.slice(slash) }
}

/** No step up, however it is written, and nothing that another reader may take for one. */
function isClimbing(path: string): boolean {
  if (!/^\/[\x21-\x7e]*$/.test(path) || path.includes('\\')) return true
  return path.split('/').some((segment) => /^(\.|%2e){1,2}$/i.test(segment))
}

interface Question {
  destination: Destination
  target: string
}

function ask(exchange: LiveExchange, { maxBodyBytes }: Forwarding, question: Question): Promise<IncomingMessage> {
  const { method, search, headers, signal } = exchange
  const { connect, headers: added } = question.destination
  const path = search === '' ? question.target : `${question.target}?${search}`
  const asked = http.request({
    createConnection: connect,
    method,
    path,
    headers: { ...pick(headers, sentOn), ...added },
  })
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  signal.addEventListener('abort', () => asked.destroy(), { once: true })
  asked.once('response', resolve).on('error', reject)
  asked.once('close', () => reject(Object.assign(new Error('The other server hung up'), { code: 'ECONNRESET' })))
  sendBody(exchange, asked, maxBodyBytes).catch((error: unknown) => {
    reject(error)
    asked.destroy()
  })
  return promise
}

async function sendBody(exchange: LiveExchange, asked: ReturnType<typeof http.request>, max: number): Promise<void> {
  const { request, host, signal } = exchange
  if (hasBody(request)) {
    if (Number(request.headers['content-length'] ?? 0) > max) throw host.service.errors.bodyTooLarge(max)
    const limits = { maxBytes: max, idleMs: host.timeouts.idleBodyMs, signal }
    await readPieces(exchange.openBody(), limits, (piece) => (asked.write(piece) ? undefined : drained(asked)))
  }
  asked.end()
}

const drained = (asked: ReturnType<typeof http.request>): Promise<void> =>
  new Promise((resolve) => {
    const goOn = () => {
      asked.off('drain', goOn).off('close', goOn)
      resolve()
    }
    asked.once('drain', goOn).once('close', goOn)
  })

function send(exchange: LiveExchange, answer: IncomingMessage): void {
  const status = answer.statusCode ?? badGateway
  const headers = { ...pick(answer.headers, sentBack), ...always }
  if (status === 204 || status === 304) {
    answer.resume()
    sendEmpty(exchange, status, always)
  } else sendBytes(exchange, status, answer, headers)
}

/** A log that is followed for days must not outlive the right to read it. */
function cutWhenOver({ request }: LiveExchange, { stillMay }: Destination, everyMs: number): NodeJS.Timeout {
  const look = async (): Promise<void> => {
    if (!(await stillMay().catch(() => false))) request.socket.destroy()
  }
  return setInterval(() => void look(), everyMs).unref()
}

function pick(headers: IncomingMessage['headers'], names: readonly string[]): Headers {
  const found = names.map((name) => [name, headers[name]] as const)
  return Object.fromEntries(found.filter((entry): entry is [string, string] => typeof entry[1] === 'string'))
}
