// Requests to the server that this page came from. The session's cookie goes with each of them; the first header is one
// that no page of another site can send, the second names the project that the session acts in.
import { errorOf } from './api-error.ts'

export interface Asking {
  method?: 'GET' | 'POST' | 'DELETE'
  body?: unknown
  /** Routes of a project need it; those of the organization do without. */
  project?: string
  signal?: AbortSignal
}

/** Routes that are there in two versions. */
const ofAssistants = /^\/v1\/(assistants|threads)\b/

export async function send(path: string, { method = 'GET', body, project, signal }: Asking = {}): Promise<Response> {
  const isForm = body instanceof FormData
  const response = await fetch(path, {
    method,
    headers: {
      'x-atoll-console': '1',
      ...(project === undefined ? {} : { 'x-atoll-project': project }),
      ...(ofAssistants.test(path) ? { 'openai-beta': 'assistants=v2' } : {}),
      ...(body === undefined || isForm ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: isForm ? body : JSON.stringify(body) }),
    ...(signal === undefined ? {} : { signal }),
  })
  if (!response.ok) throw await errorOf(response)
  return response
}

export const ask = async <Answer>(path: string, asking?: Asking): Promise<Answer> =>
  (await (await send(path, asking)).json()) as Answer

/** `/v1/files?limit=20&purpose=…`, without what is undefined. Lists become `name[]`. */
export function withQuery(path: string, query: Record<string, string | number | string[] | undefined>): string {
  const params = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (Array.isArray(value)) for (const one of value) params.append(`${name}[]`, one)
    else if (value !== undefined && value !== '') params.set(name, String(value))
  }
  const text = params.toString()
  return text === '' ? path : `${path}?${text}`
}
