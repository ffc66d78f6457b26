// GET requests to the model hub and to the storage it redirects to. A token goes to the hub alone.
import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import { ModelFileProblem, PassingProblem } from './problem.ts'

export interface HubOptions {
  hub: string
  /** For files that need an account. */
  token?: string | undefined
  /** Proxies are named here. */
  env?: Readonly<Record<string, string | undefined>>
  /** Silence for so long is a failure. */
  stallMs?: number
}

export interface HubAnswer {
  /** Of the last host; its body is not read yet. */
  response: IncomingMessage
  status: number
  /** What the hub said about the file on the way. */
  linked: { etag?: string; bytes?: string; commit?: string; error?: string }
  /** Whether the hub itself gave this answer, and not a storage it sent us to. */
  fromHub: boolean
}

const maxRedirects = 5
const maxWastedBytes = 64 * 1024
const defaultStallMs = 30_000
const maxConnections = 64

export class HubClient {
  readonly #origin: string
  readonly #token: string | undefined
  readonly #stallMs: number
  readonly #agents: { 'http:': HttpAgent; 'https:': HttpsAgent }

  constructor({ hub, token, env = {}, stallMs = defaultStallMs }: HubOptions) {
    const url = new URL(hub)
    this.#origin = url.origin
    this.#token = url.protocol === 'https:' || isLoopback(url) ? token : undefined
    this.#stallMs = stallMs
    const options = { keepAlive: true, maxSockets: maxConnections, proxyEnv: proxies(env) }
    this.#agents = { 'http:': new HttpAgent(options), 'https:': new HttpsAgent(options) }
  }

  get sendsToken(): boolean {
    return this.#token !== undefined
  }

  /** `range` is the first byte and the last. Throws PassingProblem when the network fails. */
  async get(start: URL, signal: AbortSignal, range?: readonly [number, number]): Promise<HubAnswer> {
    const linked: HubAnswer['linked'] = {}
    let url = start
    for (let hops = 0; hops <= maxRedirects; hops++) {
      const response = await this.#send(url, signal, range)
      note(linked, response)
      const { statusCode: status = 0, headers } = response
      if (![301, 302, 303, 307, 308].includes(status) || headers.location === undefined) {
        return { response, status, linked, fromHub: url.origin === this.#origin }
      }
      discard(response)
      url = redirectTarget(url, headers.location)
    }
    throw new ModelFileProblem(`${shownUrl(start)} was redirected more than ${maxRedirects} times`)
  }

  close(): void {
    for (const agent of Object.values(this.#agents)) agent.destroy()
  }

  #send(url: URL, signal: AbortSignal, range: readonly [number, number] | undefined): Promise<IncomingMessage> {
    const secure = url.protocol === 'https:'
    const headers = {
      'user-agent': 'atoll',
      // Lengths and ranges are those of the file itself.
      'accept-encoding': 'identity',
      ...(range ? { range: `bytes=${range[0]}-${range[1]}` } : {}),
      ...(this.#token !== undefined && url.origin === this.#origin ? { authorization: `Bearer ${this.#token}` } : {}),
    }
    return new Promise((resolve, reject) => {
      const options = { agent: this.#agents[secure ? 'https:' : 'http:'], headers, signal }
      const request = secure ? httpsRequest(url, options) : httpRequest(url, options)
      let answer: IncomingMessage | undefined
      request.on('response', (response) => {
        answer = response
        resolve(response)
      })
      request.setTimeout(this.#stallMs, () => {
        const stalled = new PassingProblem(`${url.host} sent nothing for ${this.#stallMs / 1000} seconds`)
        ;(answer ?? request).destroy(stalled)
      })
      request.on('error', (error) => reject(signal.aborted ? error : networkProblem(error, url)))
      request.end()
    })
  }
}

/** Failures while a body is read have no words of their own. */
export function networkProblem(error: unknown, url: URL): Error {
  if (error instanceof PassingProblem || error instanceof ModelFileProblem) return error
  const { code = '', message } = error as NodeJS.ErrnoException
  if (/CERT|SIGNATURE|SELF_SIGNED|UNABLE_TO/.test(code)) {
    return new ModelFileProblem(`the certificate of ${url.host} is not trusted (${code})`)
  }
  const words: Record<string, string> = {
    ENOTFOUND: `the name ${url.hostname} is not known: is there a network? ATOLL_MODEL_HUB can name a mirror`,
    EAI_AGAIN: `the name ${url.hostname} cannot be looked up: is there a network? ATOLL_MODEL_HUB can name a mirror`,
    ECONNREFUSED: `${url.host} does not accept connections`,
    ECONNRESET: `${url.host} cut the connection`,
  }
  return new PassingProblem(words[code] ?? `${url.host}: ${message}`, { cause: error })
}

/** Without what may be secret: signatures and passwords. */
export const shownUrl = (url: URL): string => url.origin + url.pathname

/** A small body is read to its end, so that its connection can serve again. */
export function discard(response: IncomingMessage): void {
  response.on('error', () => undefined)
  if (Number(response.headers['content-length'] ?? Number.POSITIVE_INFINITY) <= maxWastedBytes) response.resume()
  else response.destroy()
}

function redirectTarget(from: URL, location: string): URL {
  if (!URL.canParse(location, from.href))
    throw new ModelFileProblem(`${from.host} redirects to something that is no URL`)
  const target = new URL(location, from)
  const allowed =
    target.protocol === 'https:' ||
    (target.protocol === 'http:' && from.protocol === 'http:' && target.hostname === from.hostname)
  if (allowed) return target
  throw new ModelFileProblem(
    `${from.host} redirects to ${target.protocol}//${target.host}, which is not safe: only https is followed`,
  )
}

/** The first host that speaks of the file is nearest to the one that was asked. */
function note(linked: HubAnswer['linked'], { headers }: IncomingMessage): void {
  const names = {
    etag: 'x-linked-etag',
    bytes: 'x-linked-size',
    commit: 'x-repo-commit',
    error: 'x-error-code',
  } as const
  for (const [key, header] of Object.entries(names) as [keyof typeof names, string][]) {
    const value = headers[header]
    if (typeof value === 'string' && linked[key] === undefined) linked[key] = value.slice(0, 500)
  }
}

const isLoopback = ({ hostname }: URL): boolean => /^(localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname)

function proxies(env: NonNullable<HubOptions['env']>): Record<string, string> {
  const names = ['HTTP_PROXY', 'http_proxy', 'HTTPS_PROXY', 'https_proxy', 'NO_PROXY', 'no_proxy']
  return Object.fromEntries(names.flatMap((name) => (env[name] ? [[name, env[name]]] : [])))
}
