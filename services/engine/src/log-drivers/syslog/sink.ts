// Sends lines to a syslog server: a datagram each, or one after the other over a connection.
import { createSocket, type Socket } from 'node:dgram'
import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import { hostname } from 'node:os'
import type { ContainerRecord } from '../../resources/containers/record.ts'
import { type Address, DialFailure } from '../address.ts'
import { logTag } from '../container-attributes.ts'
import { DialedSocket } from '../dialed-socket.ts'
import type { LogLine, LogSink } from '../log-driver.ts'
import { type SyslogFormat, syslogMessage } from './message.ts'

interface SyslogSettings {
  address: Address
  facility: number
  format: SyslogFormat
}

const writeTimeoutMs = 30_000
/** What fits into a datagram. */
const maxDatagramBytes = 65_000

export class SyslogSink implements LogSink {
  readonly #settings: SyslogSettings
  readonly #container: () => ContainerRecord
  #stream: DialedSocket | undefined
  #datagrams: Socket | undefined
  #opening: Promise<void> | undefined

  constructor(settings: SyslogSettings, container: () => ContainerRecord) {
    this.#settings = settings
    this.#container = container
  }

  open(): Promise<void> {
    // A start and the delivery of what was said before may ask at once.
    this.#opening ??= this.#connect().finally(() => {
      this.#opening = undefined
    })
    return this.#opening
  }

  async #connect(): Promise<void> {
    const { address } = this.#settings
    if (address.protocol === 'udp') this.#datagrams ??= await openDatagrams(address)
    else if (!this.#stream?.isUsable) this.#stream = await DialedSocket.dial(address)
  }

  async send(lines: readonly LogLine[]): Promise<void> {
    await this.open()
    const { facility, format } = this.#settings
    const source = {
      ...{ facility, format },
      hostname: hostname(),
      tag: logTag(this.#container()),
      processId: process.pid,
    }
    const messages = lines.map((line) => syslogMessage(line, source))
    if (this.#stream !== undefined) await this.#stream.write(Buffer.from(messages.join('')), writeTimeoutMs)
    else for (const message of messages) await this.#sendOne(message)
  }

  close(): void {
    this.#stream?.close()
    this.#stream = undefined
    this.#datagrams?.close()
    this.#datagrams = undefined
  }

  #sendOne(message: string): Promise<void> {
    const bytes = Buffer.from(message).subarray(0, maxDatagramBytes)
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
