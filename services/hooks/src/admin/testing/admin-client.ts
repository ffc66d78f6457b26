// The admin interface as a program uses it.
import { type Answer, adminToken, type HooksServer } from '../../testing/hooks-server.ts'

export interface SentEvent {
  event: string
  id: string | undefined
  data: Record<string, unknown>
}

type Headers = Record<string, string>

export function adminOf(server: Pick<HooksServer, 'url'>, token = adminToken) {
  const authorization = `Bearer ${token}`
  const send = async (method: string, path: string, body?: unknown, headers: Headers = {}): Promise<Answer> => {
    const response = await fetch(`${server.url}/hooks-admin${path}`, {
      method,
      headers: { authorization, ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    const isJson = response.headers.get('content-type')?.includes('json') === true
    return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text }
  }
  return {
    send,
    get: (path: string) => send('GET', path),
    post: (path: string, body?: unknown) => send('POST', path, body),
    put: (path: string, body?: unknown) => send('PUT', path, body),
    /** Until the server ends it, or the test has seen enough. */
    async *follow(path: string, headers: Headers = {}): AsyncGenerator<SentEvent> {
      const left = new AbortController()
      const options = { headers: { authorization, ...headers }, signal: left.signal }
      const response = await fetch(`${server.url}/hooks-admin${path}`, options)
      if (response.body === null) return
      try {
        let text = ''
        for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
          text += chunk
          for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
            yield parseEvent(text.slice(0, end))
            text = text.slice(end + 2)
          }
        }
      } finally {
        left.abort()
      }
    },
  }
}

function parseEvent(block: string): SentEvent {
  const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(block)?.[1]
  return { event: field('event') ?? 'message', id: field('id'), data: JSON.parse(field('data') ?? '{}') }
}

export async function collect(events: AsyncIterable<SentEvent>): Promise<SentEvent[]> {
  const all: SentEvent[] = []
  for await (const event of events) if (event.event !== 'ping') all.push(event)
  return all
}
