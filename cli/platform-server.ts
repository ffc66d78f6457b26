// A platform as a command speaks to it: over HTTP, with the key of a project.
import { openAsBlob } from 'node:fs'
import { basename } from 'node:path'
import { CommandProblem } from './command-problem.ts'
import { platformAddress } from './server-address.ts'

/** With these, fetch does not keep a copy of all it sends for a redirect; and the key goes nowhere else. */
const sentOnce = { redirect: 'error', window: null } as const

export class PlatformServer {
  readonly #url: string
  readonly #key: string

  constructor(given: string | undefined, env: NodeJS.ProcessEnv) {
    this.#url = `${platformAddress(given, env)}/v1`
    this.#key = env.OPENAI_API_KEY?.trim() ?? ''
    if (this.#key !== '') return
    throw new CommandProblem(
      'OPENAI_API_KEY is not set. Export the project key that ./atoll up printed at its first start (lost: ./atoll keys create project).',
    )
  }

  /** A JSONL file, read from the disk while it is sent, never whole. Its id. */
  protected async sendFile(path: string, purpose: string, signal: AbortSignal): Promise<string> {
    const form = new FormData()
    form.set('purpose', purpose)
    form.set('file', await openAsBlob(path, { type: 'application/jsonl' }), basename(path))
    return (await this.json<{ object: string; id: string }>('files', { method: 'POST', body: form, signal })).id
  }

  protected async json<Answer extends { object: string }>(path: string, init: RequestInit): Promise<Answer> {
    const response = await this.send(path, init)
    const answer = parsed(await this.#reached(response.text(), init)) as Answer | undefined
    if (typeof answer?.object !== 'string') {
      throw new CommandProblem(
        `${this.#url}/${path} does not answer as the API does. Its address is the one that ./atoll up shows beside "platform".`,
      )
    }
    return answer
  }

  protected async send(path: string, { headers, ...init }: RequestInit): Promise<Response> {
    const authorization = `Bearer ${this.#key}`
    const request = fetch(`${this.#url}/${path}`, { ...init, ...sentOnce, headers: { ...headers, authorization } })
    const response = await this.#reached(request, init)
    if (response.ok) return response
    throw await refusal(response, init.method ?? 'GET', path)
  }

  async #reached<Answer>(answer: Promise<Answer>, { signal }: RequestInit): Promise<Answer> {
    try {
      return await answer
    } catch (error) {
      if (signal?.aborted) throw error
      const { cause = error } = error as { cause?: { name: string; code?: unknown; message: string } }
      const { name, code, message } = cause as { name: string; code?: unknown; message: string }
      if (name === 'NotReadableError') throw new CommandProblem('the file changed while it was sent.')
      const why = typeof code === 'string' ? code : message
      const advice = 'Start one with ./atoll up, or name another with --url or OPENAI_BASE_URL.'
      throw new CommandProblem(`no server answers at ${this.#url} (${why}). ${advice}`, true)
    }
  }
}

async function refusal(response: Response, method: string, path: string): Promise<CommandProblem> {
  const { status } = response
  const answer = parsed(await response.text().catch(() => '')) as { error?: { message?: string } } | undefined
  const why = answer?.error?.message ?? `${method} ${path}`
  const advice = status === 401 ? ' The key is that of OPENAI_API_KEY.' : ''
  return new CommandProblem(`the server refused with ${status}: ${why}${advice}`, status === 429 || status >= 500)
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) ?? undefined
  } catch {
    return undefined
  }
}
