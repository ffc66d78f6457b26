// Requests to the assistants of a server, and the events of a run's stream with the times they came.
import type { AtollServer } from '../atoll-server.ts'
import { now } from './clock.ts'

export interface TimedEvent {
  event: string
  data: string
  at: number
}

export class AssistantsClient {
  readonly #server: Pick<AtollServer, 'url' | 'apiKey'>

  constructor(server: Pick<AtollServer, 'url' | 'apiKey'>) {
    this.#server = server
  }

  async create(path: string, body: object): Promise<string> {
    return ((await (await this.#post(path, body)).json()) as { id: string }).id
  }

  /** A thread with this question. */
  ask(content: string): Promise<string> {
    return this.create('/threads', { messages: [{ role: 'user', content }] })
  }

  run(threadId: string, assistant_id: string, more: object = {}): AsyncGenerator<TimedEvent> {
    return this.events(`/threads/${threadId}/runs`, { assistant_id, ...more })
  }

  async *events(path: string, body: object): AsyncGenerator<TimedEvent> {
    const response = await this.#post(path, { ...body, stream: true })
    const decoder = new TextDecoder()
    let text = ''
    for await (const bytes of response.body ?? []) {
      const at = now()
      const frames = (text + decoder.decode(bytes, { stream: true })).split('\n\n')
      text = frames.pop() ?? ''
      for (const frame of frames) yield { ...readFrame(frame), at }
    }
  }

  async #post(path: string, body: object): Promise<Response> {
    const { url, apiKey } = this.#server
    const headers = {
      authorization: `Bearer ${apiKey}`,
      'content-type': 'application/json',
      'openai-beta': 'assistants=v2',
    }
    const response = await fetch(`${url}/v1${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
    return response
  }
}

function readFrame(frame: string): { event: string; data: string } {
  const field = (name: string): string => new RegExp(`^${name}: ?(.*)$`, 'm').exec(frame)?.[1] ?? ''
  return { event: field('event'), data: field('data') }
}
