// One question over HTTP, bytes for bytes, to a node that may be gone.
import type { IncomingMessage, RequestOptions } from 'node:http'
import { readBytes } from '../http/body/body-bytes.ts'
import { http, loadHttps } from '../http/server/node-http.ts'

const maxAnswerBytes = 64 * 1024 * 1024
const keepAliveMs = 20_000
/** A machine that is cut off says nothing. */
const connectMs = 1_000
const agentOptions = { keepAlive: true, keepAliveMsecs: keepAliveMs, maxFreeSockets: 16 }

/** What is said is sealed: whose certificate the other side has does not matter. */
const secure = { rejectUnauthorized: false }

export class NodeConnections {
  readonly #plain = new http.Agent(agentOptions)
  #secure: InstanceType<typeof http.Agent> | undefined

  /** Throws where there is no answer within `answerMs`, or one of another status than 200. */
  async post(url: string, body: Buffer, answerMs: number): Promise<Buffer> {
    const signal = AbortSignal.timeout(answerMs)
    const answer = await this.#send(url, body, signal)
    if (answer.statusCode !== 200) {
      answer.resume()
      throw new Error(`the other node answered ${answer.statusCode}`)
    }
    return readBytes(answer, { maxBytes: maxAnswerBytes, idleMs: answerMs, signal })
  }

  close(): void {
    this.#plain.destroy()
    this.#secure?.destroy()
  }

  #send(url: string, body: Buffer, signal: AbortSignal): Promise<IncomingMessage> {
    const options: RequestOptions = {
      method: 'POST',
      signal,
      headers: { 'content-type': 'application/octet-stream', 'content-length': body.length },
    }
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
    const asked = url.startsWith('https:')
      ? loadHttps().request(url, { ...options, ...secure, agent: this.#secureAgent() })
      : http.request(url, { ...options, agent: this.#plain })
    asked.once('response', resolve).on('error', reject)
    asked.once('socket', (socket) => {
      if (!socket.connecting) return
      const late = setTimeout(() => asked.destroy(new Error('the other node is not there')), connectMs)
      socket.once('connect', () => clearTimeout(late)).once('close', () => clearTimeout(late))
    })
    asked.end(body)
    return promise
  }

  #secureAgent() {
    this.#secure ??= new (loadHttps().Agent)({ ...agentOptions, ...secure })
    return this.#secure
  }
}
