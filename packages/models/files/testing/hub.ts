// A stand-in of the model hub on loopback: it answers as the hub does, with a second server as its storage, and can be
// told to behave badly.
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

export interface Served {
  /** The first byte and the last; undefined for the whole. */
  range: [number, number] | undefined
  host: 'hub' | 'storage'
  authorization: string | undefined
}

export class TestHub {
  readonly requests: Served[] = []
  /** Bytes of files that were sent, those asked for to learn about the file included. */
  servedBytes = 0
  /** By path: `/owner/repository/resolve/main/file.gguf`. */
  readonly files = new Map<string, Buffer>()
  redirects = true
  ranges = true
  tellsLength = true
  /** In place of the right one. */
  sha256: string | undefined
  contentType = 'application/octet-stream'
  /** Statuses to answer the next requests to the hub with, first. */
  readonly failures: { status: number; headers?: Record<string, string> }[] = []
  /** After how many bytes of a body its connection is cut; undefined: not at all. */
  cutAfter: (range: Served['range']) => number | undefined = () => undefined
  /** After so many bytes of a body nothing more comes. */
  stallAfter: (range: Served['range']) => number | undefined = () => undefined
  /** Called after each chunk. */
  onChunk: () => void | Promise<void> = () => undefined
  chunkBytes = 64 * 1024
  chunkDelayMs = 0
  redirectTo: string | undefined
  #hub: Server
  #storage: Server

  private constructor() {
    this.#hub = createServer(
      (request, response) => void this.#answerHub(request, response).catch(() => response.destroy()),
    )
    this.#storage = createServer(
      (request, response) => void this.#send(request, response, 'storage').catch(() => response.destroy()),
    )
  }

  static async start(): Promise<TestHub> {
    const hub = new TestHub()
    for (const server of [hub.#hub, hub.#storage]) await once(server.listen(0, '127.0.0.1'), 'listening')
    return hub
  }

  get url(): string {
    return address(this.#hub)
  }

  /** On the hub; returns what to pull. */
  add(file: string, bytes: Buffer): string {
    this.files.set(`/owner/repository/resolve/main/${file}`, bytes)
    return `owner/repository/${file}`
  }

  async close(): Promise<void> {
    for (const server of [this.#hub, this.#storage]) {
      server.closeAllConnections()
      await new Promise((done) => server.close(done))
    }
  }

  async #answerHub(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const failure = this.failures.shift()
    if (failure) {
      response.writeHead(failure.status, failure.headers).end('no')
      return
    }
    if (!this.redirects) return this.#send(request, response, 'hub')
    this.#note(request, 'hub')
    const file = this.files.get(request.url ?? '')
    if (!file) {
      response.writeHead(404, { 'x-error-code': 'EntryNotFound' }).end('no such file')
      return
    }
    const headers = {
      location: this.redirectTo ?? `${address(this.#storage)}${request.url}?signature=secret`,
      'x-linked-etag': `"${this.sha256 ?? sha256(file)}"`,
      'x-linked-size': file.length,
      'x-repo-commit': 'c'.repeat(40),
    }
    response.writeHead(302, headers).end('moved')
  }

  async #send(request: IncomingMessage, response: ServerResponse, host: Served['host']): Promise<void> {
    const range = this.#note(request, host)
    const file = this.files.get((request.url ?? '').replace(/\?.*$/, ''))
    if (!file) {
      response.writeHead(404).end('no such file')
      return
    }
    const honoured = this.ranges ? range : undefined
    const body = honoured ? file.subarray(honoured[0], honoured[1] + 1) : file
    const headers: Record<string, string | number> = {
      etag: `"${host === 'hub' ? (this.sha256 ?? sha256(file)) : sha256(file).slice(0, 32)}"`,
    }
    headers['content-type'] = this.contentType
    if (this.tellsLength) headers['content-length'] = body.length
    if (honoured) headers['content-range'] = `bytes ${honoured[0]}-${honoured[0] + body.length - 1}/${file.length}`
    response.writeHead(honoured ? 206 : 200, headers)
    await this.#sendBody(response, body, range)
  }

  async #sendBody(response: ServerResponse, body: Buffer, range: Served['range']): Promise<void> {
    const cut = this.cutAfter(range)
    const stall = this.stallAfter(range)
    for (let at = 0; at < body.length && !response.destroyed; ) {
      const end = Math.min(body.length, at + this.chunkBytes, cut ?? body.length, stall ?? body.length)
      response.write(body.subarray(at, end))
      this.servedBytes += end - at
      at = end
      await this.onChunk()
      if (at === cut) return void response.destroy()
      if (at === stall) return
      if (response.writableNeedDrain) await drained(response)
      if (this.chunkDelayMs > 0) await sleep(this.chunkDelayMs)
    }
    response.end()
  }

  #note(request: IncomingMessage, host: Served['host']): Served['range'] {
    const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '') ?? []
    const range: Served['range'] = first === undefined ? undefined : [Number(first), Number(last)]
    this.requests.push({ range, host, authorization: request.headers.authorization })
    return range
  }
}

const drained = (response: ServerResponse): Promise<void> =>
  new Promise((resolve) => {
    const done = (): void => {
      response.off('drain', done).off('close', done)
      resolve()
    }
    response.on('drain', done).on('close', done)
  })

const address = (server: Server): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}`

/** Asked for with every request; large files have it computed once. */
const known = new WeakMap<Buffer, string>()

export function sha256(bytes: Buffer): string {
  const digest = known.get(bytes) ?? createHash('sha256').update(bytes).digest('hex')
  known.set(bytes, digest)
  return digest
}
