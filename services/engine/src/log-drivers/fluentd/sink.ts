// Sends lines in the Forward protocol: `[tag, [[time, record], …], {size, chunk}]`; with a chunk, the receiver says
// when it has it.
import type { ContainerRecord } from '../../resources/containers/record.ts'
import type { Address } from '../address.ts'
import { chosenAttributes, logTag } from '../container-attributes.ts'
import { DialedSocket } from '../dialed-socket.ts'
import type { LogLine, LogSink } from '../log-driver.ts'
import { Packer } from './msgpack.ts'
import { unpack } from './unpack.ts'

interface FluentdSettings {
  address: Address
  requestAck: boolean
  subSecondPrecision: boolean
  writeTimeoutMs: number
  readTimeoutMs: number
  /** A connection that is older is made anew, so that a receiver that moved is found. */
  reconnectMs: number
}

export class FluentdSink implements LogSink {
  readonly #settings: FluentdSettings
  readonly #container: () => ContainerRecord
  #socket: DialedSocket | undefined
  #dialing: Promise<DialedSocket> | undefined

  constructor(settings: FluentdSettings, container: () => ContainerRecord) {
    this.#settings = settings
    this.#container = container
  }

  async open(): Promise<void> {
    await this.#connected()
  }

  async send(lines: readonly LogLine[], chunk: string): Promise<void> {
    const { requestAck, writeTimeoutMs, readTimeoutMs } = this.#settings
    const socket = await this.#connected()
    await socket.write(this.#message(lines, chunk), writeTimeoutMs)
    if (!requestAck) return
    const ack = await socket.answer(readAck, readTimeoutMs)
    if (ack !== chunk) throw new Error('the receiver acknowledged something else')
  }

  close(): void {
    this.#socket?.close()
    this.#socket = undefined
  }

  async #connected(): Promise<DialedSocket> {
    const { address, reconnectMs } = this.#settings
    const known = this.#socket
    if (known?.isUsable && Date.now() - known.openedAtMs < reconnectMs) return known
    this.close()
    // A start and the delivery of what was said before may ask at once.
    this.#dialing ??= DialedSocket.dial(address).finally(() => {
      this.#dialing = undefined
    })
    this.#socket = await this.#dialing
    return this.#socket
  }

  #message(lines: readonly LogLine[], chunk: string): Buffer {
    const { requestAck, subSecondPrecision } = this.#settings
    const container = this.#container()
    const heads = new RecordHeads(recordFields(container))
    const packer = new Packer().list(3).text(logTag(container)).list(lines.length)
    for (const line of lines) {
      packer.list(2)
      if (subSecondPrecision) packer.time({ seconds: secondsOf(line.time), nanoseconds: nanosecondsOf(line.time) })
      else packer.count(secondsOf(line.time))
      packer.packed(heads.of(line)).text(line.log)
      for (const [name, value] of partFields(line)) packer.text(name).text(value)
    }
    packer
      .map(requestAck ? 2 : 1)
      .text('size')
      .count(lines.length)
    return (requestAck ? packer.text('chunk').text(chunk) : packer).bytes
  }
}

type Field = [name: string, value: string]

/** The same in every record of a container. What options name cannot take the place of what is always there. */
function recordFields(container: ContainerRecord): Field[] {
  const always: Field[] = [
    ['container_id', container.id],
    ['container_name', `/${container.name}`],
  ]
  const taken = new Set([...always.map(([name]) => name), 'source', 'log'])
  return [...always, ...Object.entries(chosenAttributes(container)).filter(([name]) => !taken.has(name))]
}

/** What is the same in many records, up to the name of the last field that is always there: `log`. */
class RecordHeads {
  readonly #fields: Field[]
  readonly #made = new Map<string, Buffer>()

  constructor(fields: Field[]) {
    this.#fields = fields
  }

  of(line: LogLine): Buffer {
    const key = line.part === undefined ? line.stream : `${line.stream} part`
    const known = this.#made.get(key)
    if (known !== undefined) return known
    const fields: Field[] = [...this.#fields, ['source', line.stream]]
    const packer = new Packer().map(fields.length + 1 + partFields(line).length)
    for (const [name, value] of fields) packer.text(name).text(value)
    const { bytes } = packer.text('log')
    this.#made.set(key, bytes)
    return bytes
  }
}

const partFields = ({ part }: LogLine): Field[] =>
  part === undefined
    ? []
    : [
        ['partial_message', 'true'],
        ['partial_id', part.id],
        ['partial_ordinal', String(part.ordinal)],
        ['partial_last', String(part.isLast)],
      ]

const wholeSeconds = '2026-11-15T22:01:13'.length
let lastSeconds = { text: '', value: 0 }

/** Many lines are of the same second. */
function secondsOf(time: string): number {
  const text = time.slice(0, wholeSeconds)
  if (text !== lastSeconds.text) {
    const value = Date.parse(`${text}Z`) / 1000
    lastSeconds = { text, value: Math.max(0, value || 0) }
  }
  return lastSeconds.value
}

const nanosecondsOf = (time: string): number => Number(time.slice(wholeSeconds + 1, -1)) || 0

/** Undefined while the answer is not whole. */
function readAck(bytes: Buffer): string | undefined {
  const answer = unpack(bytes)
  if (answer === undefined) return undefined
  const { value } = answer
  const isMap = typeof value === 'object' && value !== null && 'ack' in value
  return isMap && typeof value.ack === 'string' ? value.ack : ''
}
