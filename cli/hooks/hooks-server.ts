// The admin interface of a gateway over HTTP, as its operators reach it.
import { readFileSync } from 'node:fs'
import { CommandProblem } from '../command-problem.ts'
import { type ReceivedEvent, readEvents } from './event-stream.ts'

const defaultUrl = 'http://127.0.0.1:8081'
const tokenVariable = 'ATOLL_HOOKS_ADMIN_TOKEN'

export interface ServerFlags {
  url?: string
  tokenFile?: string
}

interface Request {
  method?: 'GET' | 'POST' | 'PUT'
  body?: unknown
}

/** The token goes nowhere else. */
const sentOnce = { redirect: 'error', window: null } as const

/** They pass: the same may work later. */
const isPassing = (status: number): boolean => status === 429 || status >= 500

export class HooksServer {
  readonly #url: string
  readonly #token: string

  constructor(url: string, token: string) {
    this.#url = url
    this.#token = token
  }

  get<Answer>(path: string): Promise<Answer> {
    return this.send(path, {})
  }

  async send<Answer>(path: string, { method = 'GET', body }: Request): Promise<Answer> {
    const response = await this.#reached(
      fetch(this.#address(path), {
        ...sentOnce,
        method,
        headers: { ...this.#headers(), ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
        body: body === undefined ? null : JSON.stringify(body),
      }),
    )
    const answer = parsed(await this.#reached(response.text()))
    if (!response.ok) throw this.#refusal(response.status, answer)
    if (typeof answer !== 'object' || answer === null) throw this.#stranger()
    return answer as Answer
  }

  /** Ends when the server ends it. `lastId`: of the last event that was received before. */
  async *follow(path: string, lastId: string | undefined, signal: AbortSignal): AsyncGenerator<ReceivedEvent> {
    const headers = { ...this.#headers(), ...(lastId === undefined ? {} : { 'last-event-id': lastId }) }
    const response = await this.#reached(fetch(this.#address(path), { ...sentOnce, headers, signal }), signal)
    if (!response.ok) throw this.#refusal(response.status, parsed(await this.#reached(response.text(), signal)))
    if (response.body === null || !response.headers.get('content-type')?.startsWith('text/event-stream')) {
      throw this.#stranger()
    }
    const events = readEvents(response.body)
    for (let next = await this.#reached(events.next(), signal); !next.done; ) {
      yield next.value
      next = await this.#reached(events.next(), signal)
    }
  }

  #address(path: string): string {
    return `${this.#url}/hooks-admin${path}`
  }

  #headers() {
    return { authorization: `Bearer ${this.#token}` }
  }

  #refusal(status: number, answer: unknown): CommandProblem {
    if (status === 401) return new CommandProblem(`the gateway does not know this admin token. ${tokenAdvice}`)
    const words = (answer as { error?: unknown } | undefined)?.error
    if (typeof words === 'string') return new CommandProblem(`${words}.`, isPassing(status))
    return isPassing(status) ? this.away(String(status)) : this.#stranger()
  }

  #stranger(): CommandProblem {
    return new CommandProblem(
      `${this.#url} does not answer as a gateway does. Its address is the one that ./atoll up shows beside "hooks".`,
    )
  }

  away(why: string): CommandProblem {
    const advice = /CERT|SIGNED|ISSUER/.test(why)
      ? 'For the self-signed certificate of Atoll: export NODE_EXTRA_CA_CERTS=DATA/self-signed.pem.'
      : 'Start it with ./atoll up, or name another with --url or ATOLL_HOOKS_URL.'
    return new CommandProblem(`no gateway answers at ${this.#url} (${why}). ${advice}`, true)
  }

  async #reached<Answer>(answer: Promise<Answer>, signal?: AbortSignal): Promise<Answer> {
    try {
      return await answer
    } catch (error) {
      if (signal?.aborted) throw signal.reason
      const { cause = error } = error as { cause?: unknown }
      const { code, message } = cause as { code?: unknown; message: string }
      throw this.away(typeof code === 'string' ? code : message)
    }
  }
}

const tokenAdvice = `It is printed by ./atoll up at the first start of hooks, or set as hooks.adminToken; export it as ${tokenVariable}, or name a file that holds it with --token-file.`

export function serverFrom({ url: given, tokenFile }: ServerFlags, env: NodeJS.ProcessEnv): HooksServer {
  const url = (given || env.ATOLL_HOOKS_URL || defaultUrl).replace(/\/+$/, '')
  const address = URL.parse(url)
  if (address === null || !/^https?:$/.test(address.protocol)) {
    throw new CommandProblem(`${url} is not the address of a gateway; it looks like ${defaultUrl}.`)
  }
  if (address.username !== '' || address.password !== '') {
    throw new CommandProblem(`the address may not hold a secret: ${tokenVariable} is the place of the admin token.`)
  }
  const token = tokenFile === undefined ? env[tokenVariable]?.trim() : tokenIn(tokenFile)
  if (!token) throw new CommandProblem(`the admin token is missing. ${tokenAdvice}`)
  if (!/^[\x21-\x7e]+$/.test(token)) throw new CommandProblem('the admin token has characters that no token has.')
  return new HooksServer(url, token)
}

function tokenIn(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim()
  } catch {
    throw new CommandProblem(`the file ${file} cannot be read.`)
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
