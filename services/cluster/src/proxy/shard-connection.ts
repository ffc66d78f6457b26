// A connection to the shard that serves now. Lost, it is opened again for as long as clients have patience.
import type { Socket } from 'node:net'

interface Options {
  connect(): Socket
  opened(): void
  take(chunk: Buffer): void
  /** After a write that said there is too much. */
  drained(): void
  /** It is gone, and nobody has asked for that. */
  lost(): void
}

const retryMs = 50
/** So long a shard may be away before its clients are told, by the end of their connection. */
const patienceMs = 5000

export class ShardConnection {
  readonly #options: Options
  #socket: Socket | undefined
  #isOpen = false
  #triedSince = 0
  #cancelRetry: () => void = () => undefined

  constructor(options: Options) {
    this.#options = options
  }

  get isOpen(): boolean {
    return this.#isOpen
  }

  get isFull(): boolean {
    return this.#socket?.writableNeedDrain === true
  }

  open(): void {
    const { connect, opened, take, drained, lost } = this.#options
    const socket = connect()
    this.#socket = socket
    socket.setNoDelay(true)
    socket.on('connect', () => {
      this.#isOpen = true
      this.#triedSince = 0
      opened()
    })
    socket.on('data', take)
    socket.on('drain', drained)
    socket.on('error', () => undefined) // 'close' follows
    socket.on('close', () => {
      if (this.#socket !== socket) return
      if (this.#triedSince === 0) this.#triedSince = performance.now()
      lost()
    })
  }

  /** After it was lost. False when there was no shard for too long. */
  retry(): boolean {
    this.drop()
    if (performance.now() - this.#triedSince > patienceMs) return false
    const timer = setTimeout(() => {
      if (this.#socket === undefined) this.open()
    }, retryMs)
    this.#cancelRetry = () => clearTimeout(timer)
    return true
  }

  /** To the shard that serves now. */
  move(): void {
    this.drop()
    this.#triedSince = 0
    this.open()
  }

  /** What was written may still be carried out. */
  drop(): void {
    this.#cancelRetry()
    const socket = this.#socket
    this.#socket = undefined
    this.#isOpen = false
    socket?.destroy()
  }

  /** False when it takes no more for now. */
  write(bytes: Buffer): boolean {
    return this.#socket?.write(bytes) ?? true
  }

  pause(): void {
    this.#socket?.pause()
  }

  resume(): void {
    this.#socket?.resume()
  }
}
