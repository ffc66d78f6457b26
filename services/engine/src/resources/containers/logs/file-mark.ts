// Tells files of a log apart by their first line, which has its time in it: their names change, and so do their inodes.
import { createHash } from 'node:crypto'
import type { FileHandle } from 'node:fs/promises'
import { maxLineBytes, newline } from './line-cursor.ts'

const chunkBytes = 64 * 1024

/** Undefined while there is no whole line. */
export async function firstLineMark(chunks: AsyncIterable<Buffer>): Promise<string | undefined> {
  const hash = createHash('sha1')
  let seen = 0
  for await (const chunk of chunks) {
    const end = chunk.indexOf(newline)
    hash.update(end < 0 ? chunk : chunk.subarray(0, end))
    seen += chunk.length
    if (end >= 0) return hash.digest('hex')
    if (seen > maxLineBytes) return undefined
  }
  return undefined
}

export const markOf = ({ handle }: { handle: FileHandle }): Promise<string | undefined> =>
  firstLineMark(chunksOf(handle))

export async function* chunksOf(handle: FileHandle): AsyncGenerator<Buffer> {
  for (let at = 0; ; ) {
    const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(chunkBytes), 0, chunkBytes, at)
    if (bytesRead === 0) return
    at += bytesRead
    yield buffer.subarray(0, bytesRead)
  }
}
