// Watches a body that something else reads: that it keeps coming, ends properly, and stays within its size.
import type { Readable } from 'node:stream'
import { BodyCut, BodyTooLarge, BodyTooSlow } from './body-bytes.ts'

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
  const timer = setTimeout(() => {
    if (watch.isHeldUp()) timer.refresh()
    else fail(new BodyTooSlow())
  }, watch.idleMs)
  const count = (chunk: Buffer) => {
    timer.refresh()
    bytes += chunk.length
    watch.onChunk(chunk)
    if (bytes > watch.maxBytes) fail(new BodyTooLarge())
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
    clearTimeout(timer)
    source.off('data', count).off('end', end).off('close', cut).off('error', cut)
    source.on('error', () => {})
  }
  source.on('data', count).on('end', end).on('close', cut).on('error', cut)
  return stop
}
