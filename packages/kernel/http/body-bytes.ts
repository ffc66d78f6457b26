// Reads a whole body into memory: bounded in size, and in how long it may stay silent.
import type { Readable } from 'node:stream'

export class BodyTooLarge extends Error {}
export class BodyTooSlow extends Error {}
export class BodyCut extends Error {}

export function readBytes(source: Readable, maxBytes: number, idleMs: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let length = 0
    const timer = setTimeout(() => fail(new BodyTooSlow()), idleMs)
    const take = (chunk: Buffer) => {
      timer.refresh()
      length += chunk.length
      if (length > maxBytes) fail(new BodyTooLarge())
      else chunks.push(chunk)
    }
    const finish = () => {
      stop()
      resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks, length))
    }
    const cut = () => fail(new BodyCut())
    const fail = (error: Error) => {
      stop()
      source.pause()
      reject(error)
    }
    const stop = () => {
      clearTimeout(timer)
      source.off('data', take).off('end', finish).off('error', cut).off('close', cut)
      source.on('error', () => {})
    }
    source.on('data', take).on('end', finish).on('error', cut).on('close', cut)
  })
}
