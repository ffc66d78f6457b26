// Calls of a plugin over its socket. A plugin is a stranger's program: every call has a time limit, every answer a
// limit of bytes, and calls that wait are counted.
import { once } from 'node:events'
import { constants, open } from 'node:fs/promises'
import { type IncomingMessage, request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { notFound, systemError, unavailable } from '../errors.ts'

/** Linux: a handle that is only a name. Node has no word for it. */
const pathOnly = 0o10_000_000
const maxCallsAtOnce = 128
const maxWords = 1_000
const version = 'application/vnd.docker.plugins.v1.2+json'

export interface CallLimits {
  timeoutMs: number
  maxBytes: number
}

export class PluginSocket {
  readonly #folder: string
  readonly #name: string
  readonly #plugin: string
  #calls = 0

  /** @param plugin its name, for messages */
  constructor(folder: string, name: string, plugin: string) {
    this.#folder = folder
    this.#name = name
    this.#plugin = plugin
  }

  /** JSON there and back: `call('VolumeDriver.Get', { Name })`. */
  async call(method: string, body: object, { timeoutMs, maxBytes }: CallLimits): Promise<unknown> {
    const signal = AbortSignal.timeout(timeoutMs)
    try {
      const answer = await this.open(method, body, signal)
      const text = (await readAll(answer, maxBytes)).toString('utf8')
      const told = parse(text)
      const status = answer.statusCode ?? 0
      if (status >= 300) throw systemError(`${method}: ${errOf(told) || text.trim().slice(0, maxWords) || status}`)
      if (told === undefined) throw systemError(`${method}: the answer of plugin ${this.#plugin} is no JSON object`)
      const problem = errOf(told)
      if (problem !== '') throw systemError(`${method}: ${problem}`)
      return told
    } catch (error) {
      if (!signal.aborted) throw error
      throw unavailable(`plugin ${this.#plugin} did not answer ${method} within ${timeoutMs / 1000} s`)
    }
  }

  /** An answer as it comes; aborting ends it. */
  async open(method: string, body: object, signal: AbortSignal): Promise<IncomingMessage> {
    if (this.#calls >= maxCallsAtOnce) {
      throw unavailable(`${maxCallsAtOnce} calls of plugin ${this.#plugin} wait for its answer already`)
    }
    this.#calls++
    try {
      const answer = await this.#send(method, body, signal)
      answer.once('close', () => this.#calls--)
      return answer
    } catch (error) {
      this.#calls--
      throw error
    }
  }

  /** Whether somebody takes connections. */
  async isUp(timeoutMs: number): Promise<boolean> {
    const handle = await this.#find().catch(() => undefined)
    if (handle === undefined) return false
    const socket = connect({ path: `/proc/self/fd/${handle.fd}` })
    try {
      return await new Promise<boolean>((resolve) => {
        socket.setTimeout(timeoutMs, () => resolve(false))
        socket.once('connect', () => resolve(true))
        socket.once('error', () => resolve(false))
      })
    } finally {
      socket.destroy()
      await handle.close()
    }
  }

  /** A connection of one's own, for another protocol. */
  async connect(signal: AbortSignal): Promise<Socket> {
    const handle = await this.#find()
    const socket = connect({ path: `/proc/self/fd/${handle.fd}` })
    try {
      await once(socket, 'connect', { signal })
      return socket
    } catch (error) {
      socket.destroy()
      throw signal.aborted
        ? error
        : systemError(`plugin ${this.#plugin} takes no connection: ${(error as Error).message}`)
    } finally {
      await handle.close()
    }
  }

  /** A link in its place would lead to any socket of the host: it is not followed. */
  async #find() {
    const path = join(this.#folder, this.#name)
    const handle = await open(path, pathOnly | constants.O_NOFOLLOW).catch(() => undefined)
    const status = await handle?.stat()
    if (handle !== undefined && status?.isSocket()) return handle
    await handle?.close()
    throw notFound(`plugin ${this.#plugin} has no socket`)
  }

  async #send(method: string, body: object, signal: AbortSignal): Promise<IncomingMessage> {
    const handle = await this.#find()
    try {
      return await new Promise<IncomingMessage>((resolve, reject) => {
        const data = JSON.stringify(body)
        const sent = request({
          ...{ method: 'POST', path: `/${method}`, socketPath: `/proc/self/fd/${handle.fd}`, agent: false, signal },
          headers: {
            ...{ host: 'plugin', accept: version, 'content-type': 'application/json' },
            'content-length': Buffer.byteLength(data),
          },
        })
        sent.once('response', (answer) => {
          answer.on('error', () => undefined)
          resolve(answer)
        })
        sent.on('error', (error) => reject(systemError(`${method}: plugin ${this.#plugin}: ${error.message}`)))
        sent.end(data)
      })
    } finally {
      await handle.close()
    }
  }
}

async function readAll(answer: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    length += chunk.length
    if (length > maxBytes) throw systemError(`the answer of a plugin has more than the ${maxBytes} bytes it may have`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

function parse(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}

/** What a plugin says went wrong. */
const errOf = (told: Record<string, unknown> | undefined): string =>
  typeof told?.Err === 'string' ? told.Err.slice(0, maxWords) : ''
