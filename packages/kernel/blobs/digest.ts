// Digests of streams, computed in a worker thread that lives only while there is something to digest.
import { createHash } from 'node:crypto'
import { type Readable, Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { isMarkedAsUntransferable, MessageChannel, type MessagePort, Worker } from 'node:worker_threads'
import type { DigestTask, FromWorker, ToWorker } from './digest-worker.ts'

// Chunks on their way to the worker; beyond this the source waits.
const inFlightBytes = 1024 * 1024

type Done = (error?: Error | null) => void

/** On this thread: for so few bytes that starting the worker would hold the event loop up for longer. */
export async function digestHere(
  source: Readable,
  algorithm: DigestTask['algorithm'],
  signal: AbortSignal,
): Promise<string> {
  const hash = createHash(algorithm)
  await pipeline(source, hash, { signal })
  return hash.read().toString('hex')
}

export class Digests {
  #worker: Worker | undefined
  #running = 0

  /** Takes the memory of the chunks with it: the source must have no further use for them. */
  async of(source: Readable, algorithm: DigestTask['algorithm'], signal: AbortSignal): Promise<string> {
    const { port1, port2 } = new MessageChannel()
    const sink = new DigestSink(port1)
    this.#running++
    try {
      this.#start().postMessage({ algorithm, port: port2 } satisfies DigestTask, [port2])
      await pipeline(source, sink, { signal })
      return sink.result
    } finally {
      this.#running--
      if (this.#running === 0) this.#stop()
    }
  }

  #start(): Worker {
    if (this.#worker) return this.#worker
    const worker = new Worker(new URL('./digest-worker.ts', import.meta.url))
    // Its ports close with it, and that is how each digest under way learns of it.
    const forget = () => {
      if (this.#worker === worker) this.#worker = undefined
    }
    worker.on('error', forget)
    worker.on('exit', forget)
    this.#worker = worker
    return worker
  }

  #stop(): void {
    void this.#worker?.terminate()
    this.#worker = undefined
  }
}

class DigestSink extends Writable {
  readonly #port: MessagePort
  #inFlight = 0
  #room: Done | undefined
  #finished: Done | undefined
  #result: string | undefined

  constructor(port: MessagePort) {
    super()
    this.#port = port
    port.on('message', (message: FromWorker) => this.#hear(message))
    port.on('close', () => {
      if (this.#result === undefined) this.destroy(new Error('The worker that computes digests has stopped.'))
    })
  }

  get result(): string {
    if (this.#result === undefined) throw new Error('The digest is not complete.')
    return this.#result
  }

  override _write(chunk: Buffer, _encoding: string, done: Done): void {
    const bytes = movable(chunk)
    this.#inFlight += bytes.byteLength
    this.#port.postMessage(bytes satisfies ToWorker, [bytes.buffer])
    if (this.#inFlight < inFlightBytes) done()
    else this.#room = done
  }

  override _final(done: Done): void {
    this.#finished = done
    this.#port.postMessage(null satisfies ToWorker)
  }

  override _destroy(error: Error | null, done: Done): void {
    this.#port.close()
    done(error)
  }

  #hear(message: FromWorker): void {
    if (typeof message === 'string') {
      this.#result = message
      this.#finished?.()
      return
    }
    this.#inFlight -= message
    if (this.#inFlight >= inFlightBytes) return
    const room = this.#room
    this.#room = undefined
    room?.()
  }
}

/** Memory can change threads only as a whole; a part of a shared piece is copied. */
function movable(chunk: Buffer): Uint8Array<ArrayBuffer> {
  const { buffer } = chunk
  const whole = buffer instanceof ArrayBuffer && buffer.byteLength === chunk.byteLength
  return whole && !isMarkedAsUntransferable(buffer) ? new Uint8Array(buffer) : new Uint8Array(chunk)
}
