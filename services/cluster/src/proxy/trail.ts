// Who has sent what lately: of a command the shard can tell the connection, and several clients may share that.
import { nobody, ownCommands, ownName } from './own-commands.ts'
import { elementsOf, listOf } from './resp/elements.ts'
import { encodeCommand } from './resp/request-scanner.ts'
import { Watch } from './watch.ts'

interface Trace {
  address: string
  bytes: Buffer
}

const maxTraces = 4096
const maxTraceBytes = 4096
/** Just below what the slow log takes (10 ms on the shard alone); what took less is forgotten. */
const slowMs = 9
/** Of what one client has under way: the first commands, and of each its beginning. */
const maxUnderWay = 64
const maxUnderWayBytes = 16 * 1024
export class Trail {
  #traces: Trace[] = []
  readonly #watches = new Set<Watch>()

  /** From now on all commands are told, not only the slow ones. */
  watch(): Watch {
    const watch = new Watch()
    this.#watches.add(watch)
    return watch
  }

  unwatch(watch: Watch): void {
    this.#watches.delete(watch)
  }

  /** On its way to the shard. */
  sent(address: string, bytes: Buffer): void {
    for (const watch of this.#watches) watch.sent(address, bytes)
  }

  /** It took its time. */
  note(address: string, bytes: Buffer): void {
    if (this.#traces.length >= 2 * maxTraces) this.#traces = this.#traces.slice(-maxTraces)
    this.#traces.push({ address, bytes })
  }

  /** Of the reply to SLOWLOG GET: the entries of clients, with their addresses. */
  slowEntries(reply: Buffer): Buffer[] {
    return elementsOf(reply).flatMap((entry) => {
      const parts = elementsOf(entry)
      const [, , , command, address, name] = parts
      if (command === undefined || address === undefined) return [entry]
      const owner = this.#lastOwnerOf(command)
      if (isOwn(command, name) || (owner === undefined && command.equals(knock))) return []
      parts[4] = bulk(owner ?? nobody)
      return [listOf(parts)]
    })
  }

  /** The log shortens long commands, and long words in them: the beginning has to do then. */
  #lastOwnerOf(command: Buffer): string | undefined {
    const [name = command, word] = elementsOf(command)
    const begun = word === undefined ? name : textOf(word).replace(/\.\.\. \(\d+ more bytes\)$/, '')
    const last = (...wanted: (Buffer | string)[]) =>
      this.#traces.findLast(({ bytes }) => wanted.every((each) => bytes.includes(each, 0, 'latin1')))?.address
    return last(command) ?? last(name, begun)
  }
}

/** What one client has under way, for as long as it is. */
export class Tracer {
  readonly #trail: Trail
  readonly #address: string
  #sent: Buffer[] = []
  #sentBytes = 0
  #sentAt = 0

  constructor(trail: Trail, address: string) {
    this.#trail = trail
    this.#address = address
  }

  sent(bytes: Buffer): void {
    this.#trail.sent(this.#address, bytes)
    if (this.#sent.length === 0) this.#sentAt = performance.now()
    if (this.#sent.length >= maxUnderWay || this.#sentBytes >= maxUnderWayBytes) return
    const kept = beginningOf(bytes)
    this.#sent.push(kept)
    this.#sentBytes += kept.length
  }

  /** Nothing is under way any more. */
  answered(): void {
    if (this.#sent.length === 0) return
    if (performance.now() - this.#sentAt >= slowMs)
      for (const bytes of this.#sent) this.#trail.note(this.#address, bytes)
    this.#sent = []
    this.#sentBytes = 0
  }
}

/** What lies in a large piece of memory would keep all of it. */
function beginningOf(bytes: Buffer): Buffer {
  if (bytes.buffer.byteLength <= 2 * maxTraceBytes) return bytes
  return Buffer.copyBytesFrom(bytes, 0, Math.min(bytes.length, maxTraceBytes))
}

/** What the endpoint asks on every connection, a client's too. */
const knock = encodeCommand(['client', 'id'])

const isOwn = (command: Buffer, name: Buffer | undefined): boolean =>
  name !== undefined && textOf(name) === ownName && ownCommands.has(nameOf(command))

/** Of a bulk string. */
const textOf = (bytes: Buffer): string => bytes.toString('latin1', bytes.indexOf('\n') + 1, bytes.length - 2)
const nameOf = (command: Buffer): string => textOf(elementsOf(command)[0] ?? Buffer.alloc(0)).toLowerCase()
const bulk = (text: string): Buffer => Buffer.from(`$${text.length}\r\n${text}\r\n`, 'latin1')
