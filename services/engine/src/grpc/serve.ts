// Serves gRPC on a connection that was handed over: methods by their paths.
import type { IncomingHttpHeaders, ServerHttp2Stream } from 'node:http2'
import type { Duplex } from 'node:stream'
import { frame, readFrames } from './frames.ts'
import { loadHttp2 } from './load-http2.ts'
import { MalformedMessage, type Message } from './message.ts'
import { codes, GrpcFailure, statusHeaders } from './status.ts'

export interface Call {
  metadata: IncomingHttpHeaders
  /** Messages of the client, as they come. */
  requests: AsyncGenerator<Buffer>
  /** Aborted when the client gives the call up. */
  signal: AbortSignal
}

/** Answers with messages, one after the other. */
export type Method = (call: Call) => AsyncIterable<Uint8Array>

export type Methods = ReadonlyMap<string, Method>

export interface ServeOptions {
  maxMessageBytes: number
  /** What is told of an error that is no `GrpcFailure`. */
  describe(error: unknown): GrpcFailure
}

const maxStreams = 256
const windowBytes = 1024 * 1024
/** Details of a failure travel in trailers. */
const maxTrailerBytes = 256 * 1024

export function serveGrpc(connection: Duplex, methods: Methods, options: ServeOptions): void {
  const session = loadHttp2().performServerHandshake(connection, {
    settings: { maxConcurrentStreams: maxStreams, initialWindowSize: windowBytes },
    maxSendHeaderBlockLength: maxTrailerBytes,
  })
  // Clients say goodbye in ways that Node calls errors.
  session.on('error', () => session.destroy())
  session.on('stream', (stream, headers) => {
    stream.on('error', () => {})
    const method = methods.get(headers[':path'] ?? '')
    if (method !== undefined) void serve(stream, headers, method, options)
    else end(stream, new GrpcFailure(codes.unimplemented, `unknown method ${headers[':path']}`))
  })
  connection.on('error', () => session.destroy())
}

async function serve(
  stream: ServerHttp2Stream,
  metadata: IncomingHttpHeaders,
  method: Method,
  { maxMessageBytes, describe }: ServeOptions,
): Promise<void> {
  const controller = new AbortController()
  stream.once('close', () => controller.abort(new GrpcFailure(codes.cancelled, 'context canceled')))
  // A method that has heard enough may still answer.
  const chunks = stream.iterator({ destroyOnReturn: false })
  const call = { metadata, requests: readFrames(chunks, maxMessageBytes), signal: controller.signal }
  try {
    for await (const message of method(call)) {
      if (!stream.headersSent) stream.respond(answerHead, { waitForTrailers: true })
      if (stream.destroyed) return
      if (!stream.write(frame(message))) await drained(stream)
    }
    end(stream)
  } catch (error) {
    if (stream.destroyed) return
    if (error instanceof GrpcFailure) end(stream, error)
    else if (error instanceof MalformedMessage) end(stream, new GrpcFailure(codes.invalidArgument, error.message))
    else end(stream, describe(error))
  }
}

const answerHead = { ':status': 200, 'content-type': 'application/grpc' }

function end(stream: ServerHttp2Stream, failure?: GrpcFailure): void {
  if (stream.destroyed || stream.closed) return
  const status =
    failure === undefined ? statusHeaders(codes.ok) : statusHeaders(failure.code, failure.message, failure.details)
  if (!stream.headersSent && failure !== undefined) {
    stream.respond({ ...answerHead, ...status }, { endStream: true })
    return
  }
  if (!stream.headersSent) stream.respond(answerHead, { waitForTrailers: true })
  stream.once('wantTrailers', () => stream.sendTrailers(status))
  stream.end()
}

const drained = (stream: ServerHttp2Stream): Promise<void> =>
  new Promise((resolve) => {
    const proceed = () => {
      stream.off('drain', proceed).off('close', proceed)
      resolve()
    }
    stream.on('drain', proceed).on('close', proceed)
  })

/** The first message is all that a caller says, of most methods. */
async function only<Q>({ requests }: Call, request: Message<Q>): Promise<Q> {
  const { value, done } = await requests.next()
  if (done) throw new GrpcFailure(codes.invalidArgument, 'the call has no request')
  // A stream that is not read to its end stays open.
  void drain(requests)
  return request.decode(value)
}

async function drain(requests: AsyncGenerator<Buffer>): Promise<void> {
  try {
    while (!(await requests.next()).done);
  } catch {
    // It was given up: the signal tells.
  }
}

export const unary = <Q, A>(
  request: Message<Q>,
  answer: Message<A>,
  handle: (asked: Q, call: Call) => Promise<Partial<A>>,
): Method =>
  async function* (call) {
    yield answer.encode(await handle(await only(call, request), call))
  }

export const serverStream = <Q, A>(
  request: Message<Q>,
  answer: Message<A>,
  handle: (asked: Q, call: Call) => AsyncIterable<Partial<A>>,
): Method =>
  async function* (call) {
    for await (const each of handle(await only(call, request), call)) yield answer.encode(each)
  }
