// Calls gRPC methods of whoever is at the other end of a connection.
import type { ClientHttp2Session, ClientHttp2Stream, IncomingHttpHeaders } from 'node:http2'
import type { Duplex } from 'node:stream'
import { frame, readFrames } from './frames.ts'
import { loadHttp2 } from './load-http2.ts'
import type { Message } from './message.ts'
import { codes, failureOf, GrpcFailure } from './status.ts'

const windowBytes = 4 * 1024 * 1024
/** Patterns of a long .dockerignore travel as metadata. */
const maxMetadataBytes = 8 * 1024 * 1024

export type Metadata = Readonly<Record<string, string | readonly string[]>>

export interface CallOptions {
  metadata?: Metadata
  signal: AbortSignal
}

export class GrpcClient {
  readonly #connection: Duplex
  readonly #maxMessageBytes: number
  #session: ClientHttp2Session | undefined
  /** Resolves when the connection is gone, whoever ended it. */
  readonly closed: Promise<void>

  /**
   * HTTP/2 greets when the other side has spoken or is first asked, never at once: some clients lose what arrives
   * together with the head that turned the connection over to them.
   */
  constructor(connection: Duplex, maxMessageBytes: number) {
    this.#connection = connection
    this.#maxMessageBytes = maxMessageBytes
    connection.on('error', () => this.close())
    connection.on('readable', this.#hear)
    this.closed = new Promise((resolve) => connection.once('close', resolve))
    void this.closed.then(() => this.close())
  }

  close(): void {
    this.#session?.destroy()
    this.#connection.destroy()
  }

  readonly #hear = () => {
    if (this.#connection.readableLength > 0) this.#greeted()
    else this.close()
  }

  #greeted(): ClientHttp2Session {
    if (this.#session !== undefined) return this.#session
    this.#connection.off('readable', this.#hear)
    const session = loadHttp2().connect('http://localhost', {
      createConnection: () => this.#connection,
      settings: { initialWindowSize: windowBytes, enablePush: false },
      maxSendHeaderBlockLength: maxMetadataBytes,
    })
    this.#session = session
    session.on('error', () => this.close())
    session.once('connect', () => session.setLocalWindowSize(windowBytes))
    session.once('close', () => this.close())
    return session
  }

  open(path: string, options: CallOptions): GrpcStream {
    if (this.#connection.destroyed || this.#session?.closed === true) throw gone()
    options.signal.throwIfAborted()
    const stream = this.#greeted().request({
      ':method': 'POST',
      ':path': path,
      'content-type': 'application/grpc',
      te: 'trailers',
      'user-agent': 'atoll',
      ...options.metadata,
    })
    return new GrpcStream(stream, options.signal, this.#maxMessageBytes)
  }

  async unary<Q, A>(
    path: string,
    request: Message<Q>,
    asked: Partial<Q>,
    answer: Message<A>,
    options: CallOptions,
  ): Promise<A> {
    const stream = this.open(path, options)
    await stream.write(request.encode(asked))
    stream.end()
    let answered: A | undefined
    for await (const bytes of stream.read()) answered = answer.decode(bytes)
    if (answered === undefined) throw new GrpcFailure(codes.internal, `${path} gave no answer`)
    return answered
  }
}

const gone = () => new GrpcFailure(codes.unavailable, 'the client has left')

/** One call: messages both ways. */
export class GrpcStream {
  readonly #stream: ClientHttp2Stream
  readonly #maxMessageBytes: number
  readonly #signal: AbortSignal
  #head: IncomingHttpHeaders = {}
  #trailers: IncomingHttpHeaders = {}

  constructor(stream: ClientHttp2Stream, signal: AbortSignal, maxMessageBytes: number) {
    this.#stream = stream
    this.#signal = signal
    this.#maxMessageBytes = maxMessageBytes
    stream.on('error', () => {})
    stream.on('response', (headers) => {
      this.#head = headers
    })
    stream.on('trailers', (headers) => {
      this.#trailers = headers
    })
    const cancel = () => this.cancel()
    signal.addEventListener('abort', cancel)
    stream.once('close', () => signal.removeEventListener('abort', cancel))
  }

  /** Resolves when more may be sent. */
  async write(message: Uint8Array): Promise<void> {
    if (this.#stream.destroyed || this.#stream.writableEnded) return
    if (!this.#stream.write(frame(message))) await this.#drained()
  }

  end(): void {
    this.#stream.end()
  }

  cancel(): void {
    this.#stream.close(loadHttp2().constants.NGHTTP2_CANCEL)
  }

  /** Ends where the other side ends the call well; throws its words otherwise. */
  async *read(): AsyncGenerator<Buffer> {
    try {
      yield* readFrames(this.#stream, this.#maxMessageBytes)
    } catch (error) {
      this.#signal.throwIfAborted()
      throw error instanceof GrpcFailure ? error : gone()
    } finally {
      if (!this.#stream.destroyed) this.cancel()
    }
    this.#signal.throwIfAborted()
    const status = 'grpc-status' in this.#trailers ? this.#trailers : this.#head
    if (!('grpc-status' in status)) throw gone()
    const failure = failureOf(status)
    if (failure !== undefined) throw failure
  }

  #drained(): Promise<void> {
    return new Promise((resolve) => {
      const proceed = () => {
        this.#stream.off('drain', proceed).off('close', proceed)
        resolve()
      }
      this.#stream.on('drain', proceed).on('close', proceed)
    })
  }
}
