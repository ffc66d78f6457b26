// Servers that are killed while they work, and come back: for tests of what survives that.
import { randomInt } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import { ServerProcess } from './server-process.ts'

const apiKey = 'sk-killed-nodes'

export class KilledNodes {
  readonly #args: string[]
  readonly #count: number
  #servers: ServerProcess[] = []
  #urls: string[] = []

  constructor(args: string[], count: number) {
    this.#args = args
    this.#count = count
  }

  async start(): Promise<void> {
    while (this.#servers.length < this.#count) {
      const env = { ATOLL_API_KEY: apiKey, ATOLL_ADMIN_KEY: 'sk-admin-killed-nodes', ATOLL_LOG_LEVEL: 'warn' }
      const server = new ServerProcess({ args: this.#args, env })
      this.#servers.push(server)
      this.#urls.push(await server.ready())
    }
  }

  /** One of them dies and comes back. */
  async killOne(): Promise<void> {
    const index = randomInt(this.#servers.length)
    const [server] = this.#servers.splice(index, 1)
    this.#urls.splice(index, 1)
    await server?.kill()
    await this.start()
  }

  async stop(): Promise<void> {
    for (const server of this.#servers.splice(0)) await server.stop()
    this.#urls = []
  }

  async call(method: string, path: string, body?: object | FormData): Promise<Response> {
    const json = body !== undefined && !(body instanceof FormData)
    const response = await fetch(`${this.#urls[0]}/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${apiKey}`, ...(json ? { 'content-type': 'application/json' } : {}) },
      ...(body === undefined ? {} : { body: json ? JSON.stringify(body) : (body as FormData) }),
    })
    if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`)
    return response
  }

  async ask<Answer>(method: string, path: string, body?: object | FormData): Promise<Answer> {
    return (await this.call(method, path, body)).json() as Promise<Answer>
  }

  /** Until no job is under way, those of killed nodes among them. */
  async settle(): Promise<void> {
    for (;;) {
      const metrics = await (await fetch(`${this.#urls[0]}/metrics`)).text()
      if (metrics.includes('atoll_jobs{state="running"} 0\n')) return
      await setTimeout(50)
    }
  }
}
