// The cluster's own connection to a shard: commands one after the other, each with a deadline.
import { connect, type Socket } from 'node:net'
import { ownName } from '../proxy/own-commands.ts'
import { FrameScanner } from '../proxy/resp/frame-scanner.ts'
import { encodeCommand } from '../proxy/resp/request-scanner.ts'
import { type Reply, readReply } from './reply.ts'

/** Where a shard listens: a socket of its machine, or an address. */
export type ShardAddress = { path: string } | { host: string; port: number }

export interface Credentials {
  username: string
  password: string
}

interface Call {
  resolve(reply: Reply): void
  reject(error: Error): void
}

const callMs = 10_000

export class ReplyTooLong extends Error {
  override readonly name = 'ReplyTooLong'
}

export class RedisConnection implements AsyncDisposable {
  readonly #socket: Socket
  readonly #calls: Call[] = []
  readonly #scanner = new FrameScanner()
  #pieces: Buffer[] = []
  #waitingBytes = 0
  /** A longer reply ends the connection. */
  maxReplyBytes = Number.POSITIVE_INFINITY
  #failure: Error | undefined

  private constructor(socket: Socket) {
    this.#socket = socket
    socket.on('data', (chunk: Buffer) => this.#take(chunk))
    socket.on('error', (error) => this.#fail(error))
    socket.on('close', () => this.#fail(new Error('The shard has closed the connection.')))
  }

  static async open(address: ShardAddress, credentials?: Credentials, withinMs = callMs): Promise<RedisConnection> {
    const connection = new RedisConnection(connect(address))
    const { username = '', password = '' } = credentials ?? {}
    const first = credentials === undefined ? ['ping'] : ['hello', '2', 'auth', username, password, 'setname', ownName]
    try {
      await connection.callWithin(withinMs, ...first)
    } catch (error) {
      connection.close()
      throw error
    }
    return connection
  }

  get isOpen(): boolean {
    return this.#failure === undefined
  }

  /** Throws RedisError with what the shard answered. */
  call(...command: (string | Buffer)[]): Promise<Reply> {
    return this.callWithin(callMs, ...command)
  }

  callWithin(milliseconds: number, ...command: (string | Buffer)[]): Promise<Reply> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure)
    const { promise, resolve, reject } = Promise.withResolvers<Reply>()
    const timer = setTimeout(() => {
      this.#fail(new Error(`The shard did not answer ${command[0]} within ${milliseconds} ms.`))
    }, milliseconds)
    this.#calls.push({ resolve, reject })
    this.#socket.write(encodeCommand(command))
    return promise.finally(() => clearTimeout(timer))
  }

  /** A command that has no reply. */
  send(...command: string[]): void {
    if (this.#failure === undefined) this.#socket.write(encodeCommand(command))
  }

  close(): void {
    this.#fail(new Error('The connection was closed.'))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.close()
  }

  #take(chunk: Buffer): void {
    let at = 0
    while (at < chunk.length) {
      const end = this.#scanner.next(chunk, at)
      const piece = chunk.subarray(at, end < 0 ? chunk.length : end)
      this.#pieces.push(piece)
      this.#waitingBytes += piece.length
      if (this.#waitingBytes > this.maxReplyBytes) {
        this.#fail(new ReplyTooLong())
        return
      }
      if (end < 0) return
      at = end
      this.#waitingBytes = 0
      const frame = Buffer.concat(this.#pieces)
      this.#pieces = []
      this.#answer(frame)
    }
  }

  #answer(frame: Buffer): void {
    const call = this.#calls.shift()
    try {
      call?.resolve(readReply(frame))
    } catch (error) {
      call?.reject(error as Error)
    }
  }

  #fail(error: Error): void {
    this.#failure ??= error
    this.#socket.destroy()
    for (const { reject } of this.#calls.splice(0)) reject(this.#failure)
  }
}

/** The fields of INFO. */
export async function infoOf(
  connection: RedisConnection,
  section: string,
  withinMs = callMs,
): Promise<Record<string, string>> {
  const text = String(await connection.callWithin(withinMs, 'info', section))
  const fields = text.split('\r\n').filter((line) => line.includes(':') && !line.startsWith('#'))
  return Object.fromEntries(fields.map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1)]))
}
