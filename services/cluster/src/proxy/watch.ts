// What MONITOR shows one client: the lines come from the shard, the addresses from who has sent what.
import { nobody, ownCommands } from './own-commands.ts'
import { inlineCommand } from './resp/inline-command.ts'
import { argumentsOf } from './resp/request-scanner.ts'

interface Sent {
  address: string
  bytes: Buffer
  /** What lies before it was shown already. */
  from: number
}

const maxSent = 4096
/** The oldest are forgotten first: those of a transaction that is still open, or that the shard was never told. */
const maxSentBytes = 16 * 1024 * 1024
/** So much of a command tells it from others; of a long one there may be no more. */
const tellingBytes = 1024
/** "+1700000000.000000 [0 127.0.0.1:6379] ", and the words of the command behind it. */
const lineForm = /^(\+\d+\.\d+ \[\d+ )(\S+)\] (.*)\r\n$/s

export class Watch {
  #sent: Sent[] = []
  #sentBytes = 0

  sent(address: string, bytes: Buffer): void {
    this.#sent.push({ address, bytes, from: 0 })
    this.#sentBytes += bytes.length
    while (this.#sent.length > maxSent || this.#sentBytes > maxSentBytes)
      this.#sentBytes -= this.#sent.shift()?.bytes.length ?? 0
  }

  /** The line with the address of the client; undefined for what the cluster did itself. */
  shown(line: Buffer): Buffer | undefined {
    const [, head, address, words = ''] = lineForm.exec(line.toString('latin1')) ?? []
    if (head === undefined || address === 'lua') return line
    const command = inlineCommand(Buffer.from(`${words}\n`, 'latin1'))
    if (!Buffer.isBuffer(command)) return line
    const owner = this.#ownerOf(command)
    if (owner === undefined && ownCommands.has(nameOf(command))) return undefined
    return Buffer.from(`${head}${owner ?? nobody}] ${words}\r\n`, 'latin1')
  }

  #ownerOf(command: Buffer): string | undefined {
    const isRedacted = command.includes('(redacted)')
    const [name = nothing] = argumentsOf(command)
    const wanted = isRedacted ? Buffer.concat([Buffer.from(`$${name.length}\r\n`), name]) : command
    const telling = wanted.subarray(0, tellingBytes)
    for (const [index, sent] of this.#sent.entries()) {
      const at = sent.bytes.indexOf(telling, sent.from)
      if (at < 0) continue
      sent.from = at + wanted.length
      this.#forgetUpTo(index, sent)
      return sent.address
    }
    return undefined
  }

  /** The shard does what one client asks in its order: what it was sent before, and has not shown, it does not show. */
  #forgetUpTo(last: number, { address, from, bytes }: Sent): void {
    const isOver = from >= bytes.length
    this.#sent = this.#sent.filter((each, index) => {
      const goes = each.address === address && (index < last || (index === last && isOver))
      if (goes) this.#sentBytes -= each.bytes.length
      return !goes
    })
  }
}

const nothing = Buffer.alloc(0)
const nameOf = (command: Buffer): string => (argumentsOf(command)[0] ?? nothing).toString('latin1').toLowerCase()
