// Where lines go over a network: messages one after the other over a connection, or a datagram each.
import { createSocket, type Socket } from 'node:dgram'
import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import { type Address, DialFailure } from './address.ts'
import { DialedSocket } from './dialed-socket.ts'

const writeTimeoutMs = 30_000

export class TargetSocket {
  readonly #address: Address
  #stream: DialedSocket | undefined
  #datagrams: Socket | undefined
  #opening: Promise<void> | undefined

  constructor(address: Address) {
    this.#address = address
  }

  /** Rejects with DialFailure when nobody listens; who reads datagrams shows never. */
  open(): Promise<void> {
    // A start and the delivery of what was said before may ask at once.
    this.#opening ??= this.#connect().finally(() => {
      this.#opening = undefined
    })
    return this.#opening
  }

  async #connect(): Promise<void> {
    const address = this.#address
    if (address.protocol === 'udp') this.#datagrams ??= await openDatagrams(address)
    else if (!this.#stream?.isUsable) this.#stream = await DialedSocket.dial(address)
  }

  /** Opened before. */
  async send(messages: readonly Buffer[]): Promise<void> {
    if (this.#stream !== undefined) await this.#stream.write(Buffer.concat(messages), writeTimeoutMs)
    else for (const message of messages) await this.#sendOne(message)
  }

  close(): void {
    this.#stream?.close()
    this.#stream = undefined
    this.#datagrams?.close()
    this.#datagrams = undefined
  }

  #sendOne(bytes: Buffer): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.#datagrams === undefined) reject(new Error('the socket was closed'))
      else this.#datagrams.send(bytes, (error) => (isDelivered(error) ? resolve() : reject(error)))
    })
  }
}

/** Nobody there is no error of UDP: the message is gone, as it may always be. */
const isDelivered = (error: NodeJS.ErrnoException | null): boolean => error === null || error.code === 'ECONNREFUSED'

async function openDatagrams(address: Address & { protocol: 'tcp' | 'udp' }): Promise<Socket> {
  try {
    const { address: host, family } = await lookup(address.host, { family: isIP(address.host) })
    const socket = createSocket(family === 6 ? 'udp6' : 'udp4')
    socket.on('error', () => undefined)
    socket.unref()
    await new Promise<void>((resolve) => socket.connect(address.port, host, () => resolve()))
    return socket
  } catch (error) {
    throw new DialFailure(address, error as NodeJS.ErrnoException)
  }
}
