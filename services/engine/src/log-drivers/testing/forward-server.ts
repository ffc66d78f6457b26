// A receiver of the Forward protocol for tests, in the place of fluentd: takes every message apart and keeps its events.
import { EventEmitter, once } from 'node:events'
import { createServer, type Server, type Socket } from 'node:net'
import type { EventTime } from '../fluentd/msgpack.ts'
import { type Unpacked, unpack } from '../fluentd/unpack.ts'

export interface ReceivedEvent {
  tag: string
  time: number | EventTime
  record: Record<string, string>
  /** Of the message it came in. */
  chunk: string | undefined
}

type Message = [tag: string, events: [time: number | EventTime, record: Record<string, string>][], option: Option]
interface Option {
  size: number
  chunk?: string
}

export class ForwardServer {
  readonly events: ReceivedEvent[] = []
  /** Chunks in the order of their messages, those that came again too. */
  readonly chunks: string[] = []
  /** Whether messages that ask for it are acknowledged. */
  acknowledges = true
  connections = 0
  readonly #address: string | number
  readonly #changes = new EventEmitter()
  readonly #sockets = new Set<Socket>()
  #server: Server | undefined

  /** A path, or a port of 127.0.0.1 (0: any). */
  constructor(address: string | number) {
    this.#address = address
  }

  async listen(): Promise<this> {
    this.#server = createServer((socket) => this.#serve(socket))
    const place = typeof this.#address === 'string' ? { path: this.#address } : { port: this.port || this.#address }
    this.#server.listen({ ...place, ...('port' in place ? { host: '127.0.0.1' } : {}) })
    await once(this.#server, 'listening')
    const bound = this.#server.address()
    if (bound !== null && typeof bound === 'object') this.port = bound.port
    return this
  }

  port = 0

  get logs(): string[] {
    return this.events.map(({ record }) => record.log ?? '')
  }

  /** Waits until there is something that fits. */
  async until(isThere: (server: ForwardServer) => boolean): Promise<void> {
    while (!isThere(this)) await once(this.#changes, 'change')
  }

  /** Ends every connection, and listens no more. */
  async close(): Promise<void> {
    const server = this.#server
    this.#server = undefined
    for (const socket of this.#sockets) socket.destroy()
    if (server !== undefined) await new Promise((resolve) => server.close(resolve))
  }

  #serve(socket: Socket): void {
    this.connections += 1
    this.#sockets.add(socket)
    this.#changes.emit('change')
    let rest: Buffer = Buffer.alloc(0)
    socket.on('error', () => undefined)
    socket.on('close', () => this.#sockets.delete(socket))
    socket.on('data', (bytes) => {
      rest = Buffer.concat([rest, bytes])
      for (let read = unpack(rest); read !== undefined; read = unpack(rest)) {
        rest = rest.subarray(read.end)
        this.#take(read.value, socket)
      }
      this.#changes.emit('change')
    })
  }

  #take(value: Unpacked, socket: Socket): void {
    const [tag, events, option] = value as unknown as Message
    if (option.size !== events.length) throw new Error(`a message of ${option.size} has ${events.length} events`)
    for (const [time, record] of events) this.events.push({ tag, time, record, chunk: option.chunk })
    if (option.chunk === undefined) return
    this.chunks.push(option.chunk)
    if (this.acknowledges) socket.write(ackOf(option.chunk))
  }
}

/** `{"ack": chunk}`, byte by byte, so that it owes nothing to the code under test. */
function ackOf(chunk: string): Buffer {
  const text = Buffer.from(chunk)
  return Buffer.concat([Buffer.from([0x81, 0xa3]), Buffer.from('ack'), Buffer.from([0xd9, text.length]), text])
}
