// Watches a body that something else reads: that it keeps coming, ends properly, and stays within its size.
import type { Readable } from 'node:stream'
import { BodyCut, BodyTooLarge, BodyTooSlow } from './body-bytes.ts'
import { BodyPace } from './body-pace.ts'

interface Watch {
  maxBytes: number
  idleMs: number
  /** True while it is us who do not read. */
  isHeldUp(): boolean
  onChunk(chunk: Buffer): void
  onEnd(): void
  onFailure(error: Error): void
}

/** Returns what ends the watch. */
export function watchBody(source: Readable, watch: Watch): () => void {
  let bytes = 0
  const { maxBytes, idleMs } = watch
  const pace = new BodyPace({ idleMs, isHeldUp: watch.isHeldUp, onTooSlow: () => fail(new BodyTooSlow()) })
  const count = (chunk: Buffer) => {
    pace.took(chunk.length)
    bytes += chunk.length
    watch.onChunk(chunk)
    if (bytes > maxBytes) fail(new BodyTooLarge(maxBytes))
  }
  const end = () => {
    stop()
    watch.onEnd()
  }
  const cut = () => fail(new BodyCut())
  const fail = (error: Error) => {
    stop()
    watch.onFailure(error)
  }
  const stop = () => {
    pace.stop()
    source.off('data', count).off('end', end).off('close', cut).off('error', cut)
    source.on('error', () => {})
  }
  source.on('data', count).on('end', end).on('close', cut).on('error', cut)
  return stop
}
