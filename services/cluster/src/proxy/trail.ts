// Who has sent what lately: of a command the shard can tell the connection, and several clients may share that.
import { FrameScanner } from './resp/frame-scanner.ts'
import { inlineCommand } from './resp/inline-command.ts'

interface Trace {
  address: string
  bytes: Buffer
  /** What lies before it was told already to those who watch. */
  from: number
}

const maxTraces = 4096
const maxTraceBytes = 4096
/** Just below what the slow log takes (10 ms on the shard alone); what took less is forgotten. */
const slowMs = 9
const maxUnderWay = 64
/** What the cluster itself asks its shards; clients have no other way to be told of it. */
const ownCommands = new Set(
  ['ping', 'client', 'info', 'auth', 'hello', 'select', 'spublish', 'replconf', 'psync', 'replicaof', 'config'].concat([
    'acl',
    'module',
    'debug',
    'dbsize',
    'randomkey',
    'bgsave',
    'digest-value',
    'shutdown',
    'multi',
    'discard',
  ]),
)
const nobody = 'unknown:0'

export class Trail {
  #traces: Trace[] = []
  #watchers = 0

  /** Somebody watches all commands: then all are kept, not only the slow ones. */
  get isWatched(): boolean {
    return this.#watchers > 0
  }

  watch(): void {
    // What was sent before is not shown.
    if (this.#watchers++ === 0) for (const trace of this.#traces) trace.from = trace.bytes.length
  }

  unwatch(): void {
    this.#watchers--
  }

  note(address: string, bytes: Buffer): void {
    if (this.#traces.length >= 2 * maxTraces) this.#traces = this.#traces.slice(-maxTraces)
    // What lies in a large piece of memory would keep all of it.
    const isSmall = bytes.buffer.byteLength <= 2 * maxTraceBytes
    const kept = isSmall ? bytes : Buffer.copyBytesFrom(bytes, 0, Math.min(bytes.length, maxTraceBytes))
    this.#traces.push({ address, bytes: kept, from: 0 })
  }

  /** The reply to SLOWLOG GET, with the addresses of clients. What the cluster did itself is left out. */
  slowLog(reply: Buffer): Buffer {
    const shown = elementsOf(reply).flatMap((entry) => {
      const parts = elementsOf(entry)
      const command = parts[3]
      if (command === undefined || parts.length < 5) return [entry]
      const owner = this.#lastOwnerOf(command)
      if (owner === undefined && ownCommands.has(nameOf(command))) return []
      parts[4] = bulk(owner ?? nobody)
      return [Buffer.concat([Buffer.from(`*${parts.length}\r\n`), ...parts])]
    })
    return Buffer.concat([Buffer.from(`*${shown.length}\r\n`), ...shown])
  }

  /** A line of MONITOR with the address of the client; undefined for what the cluster did itself. */
  watched(line: Buffer): Buffer | undefined {
    const [, head, address, words = ''] = /^(\+\d+\.\d+ \[\d+ )(\S+)\] (.*)\r\n$/s.exec(line.toString('latin1')) ?? []
    if (head === undefined || address === 'lua') return line
    const command = inlineCommand(Buffer.from(`${words}\n`, 'latin1'))
    if (!Buffer.isBuffer(command)) return line
    const isRedacted = command.includes('(redacted)')
    const owner = this.#nextOwnerOf(command) ?? (isRedacted ? this.#nextOwnerOf(elementsOf(command)[0]) : undefined)
    if (owner === undefined && ownCommands.has(nameOf(command))) return undefined
    return Buffer.from(`${head}${owner ?? nobody}] ${words}\r\n`, 'latin1')
  }

  /** In the order in which they were sent. */
  #nextOwnerOf(command: Buffer | undefined): string | undefined {
    if (command === undefined) return undefined
    for (const trace of this.#traces) {
      const at = trace.bytes.indexOf(command, trace.from)
      if (at < 0) continue
      trace.from = at + command.length
      return trace.address
    }
    return undefined
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
  #sentAt = 0

  constructor(trail: Trail, address: string) {
    this.#trail = trail
    this.#address = address
  }

  sent(bytes: Buffer): void {
    if (this.#trail.isWatched) this.#trail.note(this.#address, bytes)
    if (this.#sent.length === 0) this.#sentAt = performance.now()
    if (this.#sent.length < maxUnderWay) this.#sent.push(bytes)
  }

  /** Nothing is under way any more. */
  answered(): void {
    if (this.#sent.length === 0) return
    if (performance.now() - this.#sentAt >= slowMs)
      for (const bytes of this.#sent) this.#trail.note(this.#address, bytes)
    this.#sent = []
  }
}

function elementsOf(list: Buffer): Buffer[] {
  const scanner = new FrameScanner()
  const found: Buffer[] = []
  for (let at = list.indexOf('\n') + 1; at > 0 && at < list.length; ) {
    const end = scanner.next(list, at)
    if (end < 0) break
    found.push(list.subarray(at, end))
    at = end
  }
  return found
}

/** Of a bulk string. */
const textOf = (bytes: Buffer): string => bytes.toString('latin1', bytes.indexOf('\n') + 1, bytes.length - 2)
const nameOf = (command: Buffer): string => textOf(elementsOf(command)[0] ?? Buffer.alloc(0)).toLowerCase()
const bulk = (text: string): Buffer => Buffer.from(`$${text.length}\r\n${text}\r\n`, 'latin1')
