// Runs in a thread of its own: each message brings a port, and the port brings the bytes of one digest.
import { createHash } from 'node:crypto'
import { type MessagePort, parentPort } from 'node:worker_threads'

export interface DigestTask {
  algorithm: 'md5' | 'sha256'
  port: MessagePort
}

/** Chunks, then null at the end. */
export type ToWorker = Uint8Array | null
/** For each chunk its length, once it is counted in; then the digest in hexadecimal. */
export type FromWorker = number | string

parentPort?.on('message', ({ algorithm, port }: DigestTask) => {
  const hash = createHash(algorithm)
  const answer = (message: FromWorker) => port.postMessage(message)
  port.on('message', (chunk: ToWorker) => {
    if (chunk === null) {
      answer(hash.digest('hex'))
      return
    }
    hash.update(chunk)
    answer(chunk.byteLength)
  })
})
