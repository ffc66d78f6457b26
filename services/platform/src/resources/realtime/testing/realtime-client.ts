// A client of the socket by hand: sends events, and reads what comes in its order.
import { once } from 'node:events'
import { WebSocket } from 'ws'
import type { TestPlatform } from '../../../testing/test-platform.ts'

export interface Told {
  type: string
  event_id: string
  // biome-ignore lint/suspicious/noExplicitAny: tests look into events of every shape
  [field: string]: any
}

const betaHeader = { 'openai-beta': 'realtime=v1' }
/** Less than a test may take as a rule: what had been told by then stands in its error. */
const usualPatienceMs = 20_000

export interface DialOptions {
  model?: string
  /** In place of the model. */
  query?: string
  key?: string
  /** Absent: the dialect of 2024. */
  dialect?: 'later'
  headers?: Record<string, string>
}

export function dial(platform: TestPlatform, options: DialOptions = {}): WebSocket {
  const {
    model = 'gpt-4o-realtime-preview',
    key = platform.apiKey,
    dialect,
    headers = {},
    query = `model=${model}`,
  } = options
  const url = `${platform.url.replace('http', 'ws')}/v1/realtime?${query}`
  const mark = dialect === 'later' ? {} : betaHeader
  return new WebSocket(url, { headers: { authorization: `Bearer ${key}`, ...mark, ...headers } })
}

/** How a connection is refused before it is opened. */
export async function refusal(socket: WebSocket): Promise<{ status: number | undefined; code: string | null }> {
  socket.on('error', () => {})
  const [, response] = await once(socket, 'unexpected-response')
  let body = ''
  for await (const chunk of response) body += chunk
  return { status: response.statusCode, code: JSON.parse(body).error.code }
}

export class RealtimeClient {
  readonly socket: WebSocket
  /** All that was told so far. */
  readonly events: Told[] = []
  #read = 0
  #wake: (() => void) | undefined

  constructor(socket: WebSocket) {
    this.socket = socket
    socket.on('message', (data) => {
      this.events.push(JSON.parse(String(data)))
      this.#wake?.()
    })
    socket.on('error', () => {})
    socket.on('close', () => this.#wake?.())
  }

  /** Once the session has begun; its two first events are read. */
  static async connect(platform: TestPlatform, options: DialOptions = {}): Promise<RealtimeClient> {
    const client = new RealtimeClient(dial(platform, options))
    await client.next('session.created')
    if (options.dialect !== 'later') await client.next('conversation.created')
    return client
  }

  /** A session of text alone. */
  static async connectText(platform: TestPlatform, options: DialOptions = {}): Promise<RealtimeClient> {
    const client = await RealtimeClient.connect(platform, options)
    client.update({ modalities: ['text'], turn_detection: null })
    await client.next('session.updated')
    return client
  }

  send(event: object): void {
    this.socket.send(JSON.stringify(event))
  }

  update(session: object): void {
    this.send({ type: 'session.update', session })
  }

  say(text: string, fields: object = {}): void {
    const item = { type: 'message', role: 'user', content: [{ type: 'input_text', text }], ...fields }
    this.send({ type: 'conversation.item.create', item })
  }

  /** The next event; it has to be of this type, where one is named. */
  async next(type?: string): Promise<Told> {
    const [event] = await this.#take(() => this.events.length > this.#read, 1)
    if (type !== undefined && event?.type !== type) {
      throw new Error(`Expected ${type}, got ${JSON.stringify(event).slice(0, 2000)}`)
    }
    return event as Told
  }

  /** All from the next one up to the first of this type. */
  until(type: string, { patienceMs = usualPatienceMs } = {}): Promise<Told[]> {
    return this.#take(() => this.events.slice(this.#read).some((event) => event.type === type), type, patienceMs)
  }

  async last(type: string): Promise<Told> {
    return (await this.until(type)).at(-1) as Told
  }

  async close(): Promise<void> {
    if (this.socket.readyState === WebSocket.CLOSED) return
    const closed = once(this.socket, 'close')
    this.socket.close()
    await closed
  }

  async #take(isThere: () => boolean, end: number | string, patienceMs = usualPatienceMs): Promise<Told[]> {
    const deadline = setTimeout(() => this.#wake?.(), patienceMs)
    const startedAt = performance.now()
    while (!isThere()) {
      const rest = this.events.slice(this.#read)
      if (this.socket.readyState === WebSocket.CLOSED || performance.now() - startedAt >= patienceMs) {
        throw new Error(`Waited in vain for ${end}: ${JSON.stringify(rest).slice(-3000)}`)
      }
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
    clearTimeout(deadline)
    const from = this.#read
    const index = this.events.findIndex((event, at) => at >= from && event.type === end)
    this.#read = typeof end === 'number' ? from + end : index + 1
    return this.events.slice(from, this.#read)
  }
}

export const typesOf = (events: readonly Told[]): string[] => events.map(({ type }) => type)
