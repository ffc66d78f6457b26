// A connection to where logs go: every wait has a deadline, and a connection that ended is noticed before it is used.
import { connect, type Socket } from 'node:net'
import { type Address, DialFailure } from './address.ts'

const dialMs = 3_000
/** Answers are short. */
const maxAnswerBytes = 64 * 1024

export class DialedSocket {
  readonly #socket: Socket
  readonly openedAtMs = Date.now()
  #failure: Error | undefined
  #reject: ((error: Error) => void) | undefined
  #unread: Buffer = Buffer.alloc(0)
  #heard: (() => void) | undefined

  private constructor(socket: Socket) {
    this.#socket = socket
    socket.on('data', (bytes) => this.#hear(bytes))
    socket.on('error', (error) => this.#end(error))
    socket.on('end', () => this.#end(new Error('the other side closed the connection')))
    socket.on('close', () => this.#end(new Error('the connection was closed')))
  }

  static async dial(address: Address): Promise<DialedSocket> {
    const socket = connect(address.protocol === 'unix' ? { path: address.path } : { ...address, noDelay: true })
    try {
      await new Promise<void>((resolve, reject) => {
        socket.setTimeout(dialMs, () => reject(new Error('i/o timeout')))
        socket.once('connect', resolve)
        socket.once('error', reject)
      })
    } catch (error) {
      socket.on('error', () => undefined)
      socket.destroy()
      throw new DialFailure(address, error as NodeJS.ErrnoException)
    }
    socket.setTimeout(0)
    socket.removeAllListeners('error')
    return new DialedSocket(socket)
  }

  get isUsable(): boolean {
    return this.#failure === undefined
  }

  /** Resolves when the system has taken all of it. */
  write(bytes: Buffer, timeoutMs: number): Promise<void> {
    this.#unread = Buffer.alloc(0)
    return this.#wait(timeoutMs, 'writing', (resolve) => this.#socket.write(bytes, () => resolve()))
  }

  /** Resolves with what `read` makes of all that came since the last write, once it is something. */
  async answer<T>(read: (bytes: Buffer) => T | undefined, timeoutMs: number): Promise<T> {
    try {
      return await this.#wait<T>(timeoutMs, 'waiting for an answer', (resolve) => {
        this.#heard = () => {
          const value = read(this.#unread)
          if (value !== undefined) resolve(value)
        }
        this.#heard()
      })
    } finally {
      this.#heard = undefined
    }
  }

  close(): void {
    this.#end(new Error('the connection was closed'))
  }

  async #wait<T>(timeoutMs: number, what: string, begin: (resolve: (value: T) => void) => void): Promise<T> {
    if (this.#failure !== undefined) throw this.#failure
    let timer: NodeJS.Timeout | undefined
    try {
      return await new Promise<T>((resolve, reject) => {
        this.#reject = reject
        timer = setTimeout(() => this.#end(new Error(`${what} took more than ${timeoutMs} ms`)), timeoutMs)
        begin(resolve)
      })
    } finally {
      clearTimeout(timer)
      this.#reject = undefined
    }
  }

  #hear(bytes: Buffer): void {
    this.#unread = Buffer.concat([this.#unread, bytes])
    try {
      if (this.#unread.length > maxAnswerBytes) throw new Error('the other side says more than expected')
      this.#heard?.()
    } catch (error) {
      this.#end(error instanceof Error ? error : new Error(String(error)))
    }
  }

  #end(error: Error): void {
    this.#failure ??= error
    this.#reject?.(this.#failure)
    this.#socket.destroy()
  }
}
