// Sends lines to a syslog server: a datagram each, or one after the other over a connection.
import { hostname } from 'node:os'
import type { ContainerRecord } from '../../resources/containers/record.ts'
import type { Address } from '../address.ts'
import { logTag } from '../container-attributes.ts'
import type { LogLine, LogSink } from '../log-driver.ts'
import { TargetSocket } from '../target-socket.ts'
import { type SyslogFormat, syslogMessage } from './message.ts'

interface SyslogSettings {
  address: Address
  facility: number
  format: SyslogFormat
}

/** What fits into a datagram. */
const maxDatagramBytes = 65_000

export class SyslogSink implements LogSink {
  readonly #settings: SyslogSettings
  readonly #container: () => ContainerRecord
  readonly #target: TargetSocket

  constructor(settings: SyslogSettings, container: () => ContainerRecord) {
    this.#settings = settings
    this.#container = container
    this.#target = new TargetSocket(settings.address)
  }

  open(): Promise<void> {
    return this.#target.open()
  }

  async send(lines: readonly LogLine[]): Promise<void> {
    await this.open()
    const { facility, format, address } = this.#settings
    const source = {
      ...{ facility, format },
      hostname: hostname(),
      tag: logTag(this.#container()),
      processId: process.pid,
    }
    const maxBytes = address.protocol === 'udp' ? maxDatagramBytes : Number.POSITIVE_INFINITY
    await this.#target.send(lines.map((line) => Buffer.from(syslogMessage(line, source)).subarray(0, maxBytes)))
  }

  close(): void {
    this.#target.close()
  }
}
