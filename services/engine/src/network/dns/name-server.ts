// Answers the containers of one network on its gateway address: their names from memory, the rest from elsewhere.
import { createSocket, type Socket as UdpSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer, isIPv6, type Server, type Socket } from 'node:net'
import type { Address } from '../address.ts'
import { type Forwarder, type Transport, withLength } from './forwarder.ts'
import { type Answer, codes, readQuestion, recordTypes, reversedAddress, writeAnswer, writeRefusal } from './message.ts'

/** What one container may know. */
export interface View {
  /** Addresses of a name; undefined when nobody has it. */
  find(name: string): Address[] | undefined
  /** The name of an address; undefined when it is none of ours. */
  nameOf(address: Address): string | undefined
  /** Whom to ask for the rest; empty when nobody may be asked. */
  servers(): readonly string[]
}

export interface NameServerSettings {
  address: string
  /** Who asks, by the source address; undefined: a stranger. */
  viewOf(source: string): View | undefined
  forwarder: Forwarder
}

const dnsPort = 53
const maxConnections = 256
const idleMs = 10_000
/** Questions of one connection that wait for an answer. */
const maxWaiting = 32

export class NameServer {
  readonly #settings: NameServerSettings
  readonly #udp: UdpSocket
  readonly #tcp: Server
  readonly #connections = new Set<Socket>()

  constructor(settings: NameServerSettings) {
    this.#settings = settings
    this.#udp = createSocket({ type: isIPv6(settings.address) ? 'udp6' : 'udp4', reuseAddr: false })
    this.#udp.on('message', (message, from) => {
      void this.#answer(message, from.address, 'udp').then((answer) => {
        if (answer !== undefined) this.#udp.send(answer, from.port, from.address, () => {})
      })
    })
    this.#tcp = createServer((connection) => this.#serve(connection))
    this.#tcp.maxConnections = maxConnections
  }

  async open(): Promise<void> {
    const { address } = this.#settings
    try {
      const listening = once(this.#udp, 'listening')
      this.#udp.bind(dnsPort, address)
      await listening
      const accepting = once(this.#tcp, 'listening')
      this.#tcp.listen(dnsPort, address)
      await accepting
    } catch (problem) {
      await this.close()
      throw problem
    }
    this.#udp.on('error', () => {})
    this.#tcp.on('error', () => {})
  }

  async close(): Promise<void> {
    for (const connection of this.#connections) connection.destroy()
    await new Promise<void>((resolve) => this.#tcp.close(() => resolve()))
    await new Promise<void>((resolve) => {
      try {
        this.#udp.close(() => resolve())
      } catch {
        resolve()
      }
    })
  }

  #serve(connection: Socket): void {
    const source = connection.remoteAddress ?? ''
    let got = Buffer.alloc(0)
    let waiting = 0
    this.#connections.add(connection)
    connection.on('close', () => this.#connections.delete(connection))
    connection.on('error', () => connection.destroy())
    connection.setTimeout(idleMs, () => connection.destroy())
    connection.on('data', (chunk) => {
      got = Buffer.concat([got, chunk])
      while (got.length >= 2 && got.length >= got.readUInt16BE(0) + 2) {
        const end = got.readUInt16BE(0) + 2
        const message = got.subarray(2, end)
        got = got.subarray(end)
        if (++waiting > maxWaiting) return void connection.destroy()
        void this.#answer(message, source, 'tcp').then((answer) => {
          waiting--
          if (answer === undefined) connection.destroy()
          else if (connection.writable) connection.write(withLength(answer))
        })
      }
    })
  }

  async #answer(message: Buffer, source: string, transport: Transport): Promise<Buffer | undefined> {
    const question = readQuestion(message)
    if (question === undefined) return undefined
    if (question === 'malformed') return writeRefusal(message, codes.malformed)
    const view = this.#settings.viewOf(source)
    if (view === undefined) return writeAnswer(question, codes.refused)
    const known = lookUp(view, question.name, question.type)
    if (known !== undefined) return writeAnswer(question, codes.ok, known)
    const servers = view.servers()
    // Where nobody may be asked (internal networks), what is not ours does not exist.
    if (servers.length === 0) return writeAnswer(question, codes.unknownName)
    const answer = await this.#settings.forwarder.ask(message, servers, transport)
    return answer ?? writeAnswer(question, codes.failed)
  }
}

/** Undefined: not ours to say. An empty list: the name is known, without such an address. */
function lookUp(view: View, name: string, type: number): Answer[] | undefined {
  if (type === recordTypes.PTR) {
    const address = reversedAddress(name)
    const pointer = address === undefined ? undefined : view.nameOf(address)
    return pointer === undefined ? undefined : [{ pointer }]
  }
  const found = view.find(name)
  if (found === undefined) return undefined
  const family = type === recordTypes.A ? 4 : type === recordTypes.AAAA ? 6 : undefined
  return shuffled(found.filter((address) => address.family === family)).map((address) => ({ address }))
}

/** Several containers with one alias share the work. */
function shuffled<T>(items: readonly T[]): T[] {
  const start = Math.floor(Math.random() * items.length)
  return [...items.slice(start), ...items.slice(0, start)]
}
