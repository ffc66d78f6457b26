// A client's connection joined to a process: bytes both ways with back-pressure, and each side's end told to the other.
import type { Duplex, Readable } from 'node:stream'
import type { LogPosition } from '../runtime/runtime.ts'
import { DetachWatch } from './detach-keys.ts'
import { FrameFilter, FrameWriter, stderrStream, stdoutStream } from './frames.ts'

/** How long a client may take to close after everything was said. */
const lingerMs = 2_000
/** How often a client that closed its sending side, or that waits, is asked whether it is still there. */
const probeMs = 1_000

export interface SessionOptions {
  tty: boolean
  /** Output comes without frames also where there is no terminal. */
  unframed?: boolean
  /** A terminal's output comes in frames. */
  framed?: boolean
  stdin: boolean
  stdout: boolean
  stderr: boolean
  detachKeys: readonly number[]
  /** The client named them. */
  hasOwnDetachKeys?: boolean
  /** Called when the keys were typed; the client's side has been ended. */
  onDetach?(): void
  /** Resolves when the end of the process is known to everybody: only then the client is told. */
  settled?: Promise<void>
  /** Called once, however it ended. */
  onEnd?(): void
}

export class ClientSession {
  /** Where the log ends that is sent before the process' own output. */
  logEnd: LogPosition | undefined
  readonly #client: Duplex
  readonly #options: SessionOptions
  #connection: Duplex | undefined
  readonly #probe: NodeJS.Timeout
  #detachKeys: readonly number[]
  #isReplaying = false
  #isOver = false

  constructor(client: Duplex, options: SessionOptions) {
    this.#client = client
    this.#options = options
    this.#detachKeys = options.detachKeys
    client.on('error', () => this.#finish())
    client.once('close', () => this.#finish())
    if (!options.stdin) client.resume()
    // Reads ahead a little, so that a client that leaves is noticed before there is anything to join it to.
    else client.read(0)
    this.#probe = setInterval(() => this.#look(), probeMs).unref()
    if (client.destroyed) this.#finish()
  }

  /** What the process' side is asked for. */
  get wanted(): { stdin: boolean; stdout: boolean; stderr: boolean } {
    const { stdin, stdout, stderr } = this.#options
    return { stdin, stdout, stderr }
  }

  /** Before it is joined. Those that the client named stay. */
  defaultDetachKeys(keys: readonly number[]): void {
    if (!this.#options.hasOwnDetachKeys) this.#detachKeys = keys
  }

  get isReplaying(): boolean {
    return this.#isReplaying
  }

  get isOver(): boolean {
    return this.#isOver
  }

  /** Sends what comes before the process' own output: that waits until the client has taken it all. */
  async replay(source: AsyncIterable<Uint8Array>): Promise<void> {
    this.#isReplaying = true
    try {
      for await (const chunk of source) {
        if (this.#isOver) return
        if (!this.#client.write(chunk)) await this.#drained()
      }
    } finally {
      this.#isReplaying = false
    }
    if (this.#connection !== undefined && !this.#isOver) this.#forward(this.#connection)
  }

  join(connection: Duplex): void {
    if (this.#isOver) {
      connection.on('error', () => {}).destroy()
      return
    }
    this.#connection = connection
    connection.on('error', () => this.#sayGoodbye())
    connection.once('close', () => {
      if (!connection.readableEnded) this.#sayGoodbye()
    })
    if (!this.#isReplaying) this.#forward(connection)
  }

  /** There is no process: these are the last words. */
  async finishWith(words: Readable): Promise<void> {
    await this.replay(words).catch(() => undefined)
    this.#sayGoodbye()
  }

  /** Everything was said: the client's connection ends when it has read that. */
  end(): void {
    this.#sayGoodbye()
  }

  #forward(connection: Duplex): void {
    this.#forwardOutput(connection)
    if (this.#options.stdin) this.#forwardInput(connection)
  }

  #forwardOutput(connection: Duplex): void {
    const { tty, stdout, stderr, unframed = false, framed = false } = this.#options
    const isNothing = tty ? !stdout : !stdout && !stderr
    if (isNothing) {
      connection.once('end', () => this.#outputEnded()).resume()
      return
    }
    const isEverything = tty ? !framed : stdout && stderr && !unframed
    const output = isEverything ? connection : connection.pipe(tty ? new FrameWriter(stdoutStream) : this.#filter())
    output.once('end', () => this.#outputEnded())
    output.pipe(this.#client, { end: false })
  }

  #outputEnded(): void {
    const { settled } = this.#options
    if (settled === undefined) this.#sayGoodbye()
    else settled.then(() => this.#sayGoodbye()).catch(() => this.#sayGoodbye())
  }

  #filter(): FrameFilter {
    const { stdout, stderr, unframed } = this.#options
    const wanted = [...(stdout ? [stdoutStream] : []), ...(stderr ? [stderrStream] : [])]
    return new FrameFilter(wanted, { withHeaders: !unframed })
  }

  #forwardInput(connection: Duplex): void {
    if (!this.#options.tty) {
      this.#client.pipe(connection)
      return
    }
    const watch = new DetachWatch(this.#detachKeys, () => this.#detach())
    this.#client.pipe(watch).pipe(connection)
  }

  /** What was typed before the keys is on its way to the process: it goes first. */
  #detach(): void {
    setImmediate(() => {
      if (this.#isOver) return
      this.#options.onDetach?.()
      this.#sayGoodbye()
    })
  }

  /**
   * A client that sends nothing more may still read, and one that waits is not read from. On a unix socket an empty
   * write tells whether there is anybody.
   */
  #look(): void {
    const client = this.#client
    if (this.#connection !== undefined && !client.readableEnded) return
    if (client.writableLength === 0 && !client.writableEnded) client.write(Buffer.alloc(0))
  }

  #drained(): Promise<void> {
    return new Promise((resolve) => {
      const proceed = () => {
        this.#client.off('drain', proceed).off('close', proceed)
        resolve()
      }
      this.#client.on('drain', proceed).on('close', proceed)
    })
  }

  /** Reads on for a moment: closing with bytes unread would reset the connection, and the last output would be lost. */
  #sayGoodbye(): void {
    if (this.#isOver) return
    const client = this.#client
    this.#finish()
    if (client.destroyed) return
    client.unpipe()
    client.end()
    client.resume()
    client.once('finish', () => {
      if (client.readableEnded) return void client.destroy()
      const timer = setTimeout(() => client.destroy(), lingerMs)
      client.once('end', () => client.destroy())
      client.once('close', () => clearTimeout(timer))
    })
  }

  #finish(): void {
    if (this.#isOver) return
    this.#isOver = true
    clearInterval(this.#probe)
    this.#connection?.destroy()
    this.#options.onEnd?.()
  }
}
