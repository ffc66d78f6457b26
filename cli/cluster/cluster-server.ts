// A cluster over HTTP, as its operators reach it.
import { CommandProblem } from '../command-problem.ts'

const defaultUrl = 'http://127.0.0.1:8082'

interface Request {
  method?: 'GET' | 'POST' | 'DELETE'
  /** Sent as JSON, or as the form it is. */
  body?: unknown
  headers?: Record<string, string>
  signal?: AbortSignal
}

interface Refusal {
  error_code?: string
  message?: string
}

/** The password goes nowhere else; and nothing is kept to be sent twice. */
const sentOnce = { redirect: 'error', window: null } as const

/** They pass: the same may work later. */
const isPassing = (status: number): boolean => status === 429 || status >= 500

export class ClusterServer {
  readonly url: string
  readonly #authorization: string

  constructor(url: string, user: string) {
    this.url = url
    this.#authorization = `Basic ${Buffer.from(user).toString('base64')}`
  }

  get<Answer>(path: string, signal?: AbortSignal): Promise<Answer> {
    return this.send(path, signal === undefined ? {} : { signal })
  }

  async send<Answer>(path: string, { method = 'GET', body, headers = {}, signal }: Request): Promise<Answer> {
    const isForm = body instanceof FormData
    const response = await this.#reached(
      fetch(this.url + path, {
        ...sentOnce,
        method,
        headers: {
          ...headers,
          authorization: this.#authorization,
          ...(body === undefined || isForm ? {} : { 'content-type': 'application/json' }),
        },
        body: isForm ? body : body === undefined ? null : JSON.stringify(body),
        signal: signal ?? null,
      }),
      signal,
    )
    const answer = parsed(await this.#reached(response.text(), signal))
    if (!response.ok) throw this.#refusal(response.status, answer as Refusal | undefined)
    if (typeof answer !== 'object') throw this.#stranger()
    return answer as Answer
  }

  #refusal(status: number, answer: Refusal | undefined): CommandProblem {
    if (typeof answer?.message !== 'string') return isPassing(status) ? this.#away(String(status)) : this.#stranger()
    const code = answer.error_code === undefined ? '' : ` (${answer.error_code})`
    const advice = status === 401 ? ' ATOLL_CLUSTER_USER has them, as email:password.' : ''
    const words = `the cluster refused with ${status}${code}: ${answer.message}${advice}`
    return new CommandProblem(words, isPassing(status))
  }

  #stranger(): CommandProblem {
    return new CommandProblem(
      `${this.url} does not answer as a cluster does. Its address is the one that ./atoll up shows beside "cluster".`,
    )
  }

  #away(why: string): CommandProblem {
    const advice = /CERT|SIGNED|ISSUER/.test(why)
      ? 'For the self-signed certificate of Atoll: export NODE_EXTRA_CA_CERTS=DATA/self-signed.pem.'
      : 'Start it with ./atoll up --with cluster, or name another with --url or ATOLL_CLUSTER_URL.'
    return new CommandProblem(`no cluster answers at ${this.url} (${why}). ${advice}`, true)
  }

  async #reached<Answer>(answer: Promise<Answer>, signal: AbortSignal | undefined): Promise<Answer> {
    try {
      return await answer
    } catch (error) {
      if (signal?.aborted) throw error
      const { cause = error } = error as { cause?: unknown }
      const { name, code, message } = cause as { name: string; code?: unknown; message: string }
      if (name === 'NotReadableError') throw new CommandProblem('the file changed while it was sent.')
      throw this.#away(typeof code === 'string' ? code : message)
    }
  }
}

export function serverFrom(given: string | undefined, env: NodeJS.ProcessEnv): ClusterServer {
  const url = (given || env.ATOLL_CLUSTER_URL || defaultUrl).replace(/\/+$/, '')
  const address = URL.parse(url)
  if (address === null || !/^https?:$/.test(address.protocol)) {
    throw new CommandProblem(`${url} is not the address of a cluster; it looks like ${defaultUrl}.`)
  }
  if (address.username !== '' || address.password !== '') {
    throw new CommandProblem('the address may not hold a password: ATOLL_CLUSTER_USER is its place, as email:password.')
  }
  const user = env.ATOLL_CLUSTER_USER?.trim()
  if (user && /^[^:]+:./.test(user)) return new ClusterServer(url, user)
  throw new CommandProblem(
    `ATOLL_CLUSTER_USER is ${user ? 'not of the form email:password' : 'not set'}. Export it as ./atoll up --with cluster printed it at its first start: email:password (lost: ./atoll keys).`,
  )
}

function parsed(text: string): unknown {
  try {
    return text === '' ? {} : (JSON.parse(text) ?? undefined)
  } catch {
    return undefined
  }
}
