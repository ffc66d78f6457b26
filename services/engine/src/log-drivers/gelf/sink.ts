// Sends lines to a GELF server: compressed datagrams, or messages over a connection, each ended by a NUL byte.
import { promisify } from 'node:util'
import { deflate, gzip } from 'node:zlib'
import type { ContainerRecord } from '../../resources/containers/record.ts'
import type { Address } from '../address.ts'
import type { LogLine, LogSink } from '../log-driver.ts'
import { TargetSocket } from '../target-socket.ts'
import { gelfDatagrams, gelfFields, gelfMessage } from './message.ts'

export type Compression = 'gzip' | 'zlib' | 'none'

interface GelfSettings {
  address: Address
  compression: Compression
  /** Of zlib. */
  level: number
}

const compressors = { gzip: promisify(gzip), zlib: promisify(deflate) }
const end = Buffer.from([0])

export class GelfSink implements LogSink {
  readonly #settings: GelfSettings
  readonly #container: () => ContainerRecord
  readonly #target: TargetSocket

  constructor(settings: GelfSettings, container: () => ContainerRecord) {
    this.#settings = settings
    this.#container = container
    this.#target = new TargetSocket(settings.address)
  }

  async open(): Promise<void> {
    try {
      await this.#target.open()
    } catch (error) {
      const words = error instanceof Error ? error.message : String(error)
      throw new Error(`gelf: cannot connect to GELF endpoint: ${words}`)
    }
  }

  async send(lines: readonly LogLine[]): Promise<void> {
    await this.open()
    const fields = gelfFields(this.#container())
    // A message without words is none.
    const messages = lines.filter(({ log }) => log !== '').map((line) => gelfMessage(line, fields))
    await this.#target.send(
      this.#settings.address.protocol === 'udp'
        ? (await Promise.all(messages.map((message) => this.#compress(message)))).flatMap(gelfDatagrams)
        : messages.flatMap((message) => [message, end]),
    )
  }

  close(): void {
    this.#target.close()
  }

  async #compress(message: Buffer): Promise<Buffer> {
    const { compression, level } = this.#settings
    return compression === 'none' ? message : compressors[compression](message, { level })
  }
}
