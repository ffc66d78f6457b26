// A platform over HTTP, as the administrators of an organization reach it.
import { CommandProblem } from '../command-problem.ts'

interface Request {
  method?: 'GET' | 'POST' | 'DELETE'
  body?: object
}

interface Refusal {
  error?: { message?: string }
}

interface List<Item> {
  data: Item[]
  has_more: boolean
  last_id: string | null
}

export type Query = Record<string, string | number | readonly string[] | undefined>

/** The key goes nowhere else; and nothing is kept to be sent twice. */
const sentOnce = { redirect: 'error', window: null } as const

const pageSize = 100

export class OrgServer {
  readonly #url: string
  readonly #key: string | undefined

  /** `url` without /v1. */
  constructor(url: string, key: string | undefined) {
    this.#url = url
    this.#key = key
  }

  get<Answer>(path: string, query: Query = {}): Promise<Answer> {
    return this.send(path + queryText(query), {})
  }

  /** Every item of a list, by as many requests as it takes; `enough` of them where that is told. */
  async all<Item>(path: string, query: Query = {}, enough = Number.POSITIVE_INFINITY): Promise<Item[]> {
    const items: Item[] = []
    let after: string | undefined
    do {
      const limit = Math.min(pageSize, enough - items.length)
      const page: List<Item> = await this.get(path, { ...query, limit, after })
      items.push(...page.data)
      after = page.has_more ? (page.last_id ?? undefined) : undefined
    } while (after !== undefined && items.length < enough)
    return items
  }

  async send<Answer>(path: string, { method = 'GET', body }: Request): Promise<Answer> {
    const headers = {
      ...(this.#key === undefined ? {} : { authorization: `Bearer ${this.#key}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    }
    const init = { ...sentOnce, method, headers, body: body === undefined ? null : JSON.stringify(body) }
    const response = await this.#reached(fetch(`${this.#url}/v1${path}`, init))
    const answer = parsed(await this.#reached(response.text()))
    if (!response.ok) throw this.#refusal(response.status, answer as Refusal | undefined)
    if (typeof answer !== 'object') throw this.#stranger()
    return answer as Answer
  }

  #refusal(status: number, answer: Refusal | undefined): CommandProblem {
    const message = answer?.error?.message
    if (typeof message !== 'string') return status >= 500 ? this.#away(String(status)) : this.#stranger()
    const advice = status === 401 ? ' The key is that of OPENAI_ADMIN_KEY or --admin-key-file.' : ''
    return new CommandProblem(`the server refused with ${status}: ${message}${advice}`)
  }

  #stranger(): CommandProblem {
    return new CommandProblem(
      `${this.#url} does not answer as Atoll does. Its address is the one that ./atoll up shows beside "platform".`,
    )
  }

  #away(why: string): CommandProblem {
    const advice = /CERT|SIGNED|ISSUER/.test(why)
      ? 'For the self-signed certificate of Atoll: export NODE_EXTRA_CA_CERTS=DATA/self-signed.pem.'
      : 'Start it with ./atoll up, or name another with --url or OPENAI_BASE_URL.'
    return new CommandProblem(`no server answers at ${this.#url} (${why}). ${advice}`)
  }

  async #reached<Answer>(answer: Promise<Answer>): Promise<Answer> {
    try {
      return await answer
    } catch (error) {
      const { cause = error } = error as { cause?: unknown }
      const { code, message } = cause as { code?: unknown; message: string }
      throw this.#away(typeof code === 'string' ? code : message)
    }
  }
}

function queryText(query: Query): string {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (typeof value === 'object') for (const each of value) search.append(`${name}[]`, each)
    else if (value !== undefined) search.append(name, String(value))
  }
  return search.size === 0 ? '' : `?${search}`
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) ?? undefined
  } catch {
    return undefined
  }
}
