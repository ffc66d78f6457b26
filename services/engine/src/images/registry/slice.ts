// A part of a stream, as a stream.
import { Readable } from 'node:stream'

/** `length` bytes from `offset` on; fails when there are not so many. */
export function sliceOf(
  open: () => Promise<Readable>,
  offset: number,
  length: number,
  onProgress: (bytes: number) => void,
): Readable {
  return Readable.from(slices(open, offset, length, onProgress), { objectMode: false })
}

async function* slices(
  open: () => Promise<Readable>,
  offset: number,
  length: number,
  onProgress: (bytes: number) => void,
): AsyncGenerator<Buffer> {
  const source = await open()
  let toSkip = offset
  let sent = 0
  try {
    for await (const chunk of source as AsyncIterable<Buffer>) {
      const skipped = Math.min(toSkip, chunk.length)
      toSkip -= skipped
      const part = chunk.subarray(skipped, skipped + length - sent)
      if (part.length === 0) continue
      sent += part.length
      yield part
      onProgress(sent)
      if (sent === length) return
    }
  } finally {
    source.destroy()
  }
  if (sent < length) throw new Error(`a blob of the store ended after ${offset + sent} bytes`)
}
