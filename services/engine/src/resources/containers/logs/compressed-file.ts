// Files of a log that the shim has compressed.
import { randomUUID } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { type FileHandle, open, unlink } from 'node:fs/promises'
import { createGunzip } from 'node:zlib'
import { firstLineMark } from './file-mark.ts'

/** What was compressed, in a file without a name that is gone when it is closed. */
export async function openCompressed(path: string): Promise<FileHandle> {
  const place = `${path}.${randomUUID()}`
  const handle = await open(place, 'wx+', 0o600)
  try {
    await unlink(place)
    for await (const chunk of unpacked(path)) await handle.appendFile(chunk)
    return handle
  } catch (error) {
    await handle.close()
    throw error
  }
}

/** Undefined when the file is not there. */
export function compressedMark(path: string): Promise<string | undefined> {
  return firstLineMark(unpacked(path)).catch(() => undefined)
}

async function* unpacked(path: string): AsyncGenerator<Buffer> {
  const source = createReadStream(path)
  const gunzip = source.pipe(createGunzip())
  source.once('error', (error) => gunzip.destroy(error))
  try {
    for await (const chunk of gunzip) yield chunk as Buffer
  } finally {
    gunzip.destroy()
    source.destroy()
  }
}
