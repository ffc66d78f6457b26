// The engine's API over its socket, as plainly as possible: for tests and benchmarks that must not wait for a library.
import { Agent, type IncomingMessage, request } from 'node:http'

const requestTimeoutMs = 60_000
const headerBytes = 8

export interface Answer {
  status: number
  body: Buffer
}

/** The engine refused; `status` and its own words. */
export class Refused extends Error {
  readonly status: number

  constructor(status: number, message: string) {
    super(`${status}: ${message}`)
    this.status = status
  }
}

export class EngineClient {
  readonly socketPath: string
  readonly #agent: Agent

  constructor(socketPath: string, { keepAlive = false } = {}) {
    this.socketPath = socketPath
    this.#agent = new Agent({ keepAlive })
  }

  /** Resolves as soon as the answer begins. Bytes are sent as they are, anything else as JSON. */
  open(method: string, path: string, body?: unknown): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      const isTar = body instanceof Uint8Array
      const data = body === undefined || isTar ? body : JSON.stringify(body)
      const type = isTar ? 'application/x-tar' : 'application/json'
      const headers = data === undefined ? {} : { 'content-type': type, 'content-length': Buffer.byteLength(data) }
      const sent = request({
        ...{ method, path, headers, agent: this.#agent, socketPath: this.socketPath },
        timeout: requestTimeoutMs,
      })
      sent.once('response', resolve)
      sent.once('error', reject)
      sent.once('timeout', () => sent.destroy(new Error(`no answer to ${method} ${path}`)))
      sent.end(data)
    })
  }

  async call(method: string, path: string, body?: unknown): Promise<Answer> {
    const response = await this.open(method, path, body)
    const chunks: Buffer[] = []
    for await (const chunk of response) chunks.push(chunk)
    return { status: response.statusCode ?? 0, body: Buffer.concat(chunks) }
  }

  /** The answer's JSON; throws Refused from 400 on. */
  async ask<T>(method: string, path: string, body?: unknown): Promise<T> {
    const answer = await this.call(method, path, body)
    const text = answer.body.toString()
    if (answer.status >= 400) throw new Refused(answer.status, text)
    return (text === '' ? undefined : JSON.parse(text)) as T
  }

  /** Runs a program in a container to its end. */
  async exec(container: string, command: readonly string[]): Promise<{ exitCode: number; output: string }> {
    const created = { Cmd: command, AttachStdout: true, AttachStderr: true }
    const { Id } = await this.ask<{ Id: string }>('POST', `/containers/${container}/exec`, created)
    const { status, body } = await this.call('POST', `/exec/${Id}/start`, { Detach: false, Tty: false })
    if (status >= 400) throw new Refused(status, body.toString())
    const { ExitCode } = await this.ask<{ ExitCode: number }>('GET', `/exec/${Id}/json`)
    return { exitCode: ExitCode, output: withoutFrames(body) }
  }

  async logs(container: string): Promise<string> {
    const { status, body } = await this.call('GET', `/containers/${container}/logs?stdout=1&stderr=1`)
    if (status >= 400) throw new Refused(status, body.toString())
    return withoutFrames(body)
  }

  close(): void {
    this.#agent.destroy()
  }
}

/** Both streams in the order in which they came. */
function withoutFrames(bytes: Buffer): string {
  const parts: Buffer[] = []
  for (let at = 0; at + headerBytes <= bytes.length; ) {
    const length = bytes.readUInt32BE(at + 4)
    parts.push(bytes.subarray(at + headerBytes, at + headerBytes + length))
    at += headerBytes + length
  }
  return Buffer.concat(parts).toString()
}
