// Files of a log that the shim has compressed.
import { randomUUID } from 'node:crypto'
import { type FileHandle, open, unlink } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { chunksOf, firstLineMark } from './file-mark.ts'

/** What was compressed, in a file that has no name once `place` is removed, and is gone when it is closed. */
export async function openUnpacked(packed: FileHandle, place: string): Promise<FileHandle> {
  const unique = `${place}.${randomUUID()}`
  const handle = await open(unique, 'wx+', 0o600)
  try {
    await unlink(unique)
    for await (const chunk of unpack(packed)) await handle.appendFile(chunk)
    return handle
  } catch (error) {
    await handle.close()
    throw error
  }
}

/** Undefined when what is there was not compressed whole. */
export async function packedMark(packed: FileHandle): Promise<string | undefined> {
  try {
    return await firstLineMark(unpack(packed))
  } catch (error) {
    if (String((error as NodeJS.ErrnoException).code).startsWith('Z_')) return undefined
    throw error
  }
}

async function* unpack(packed: FileHandle): AsyncGenerator<Buffer> {
  const source = Readable.from(chunksOf(packed))
  const gunzip = source.pipe(createGunzip())
  source.once('error', (error) => gunzip.destroy(error))
  try {
    for await (const chunk of gunzip) yield chunk as Buffer
  } finally {
    gunzip.destroy()
    source.destroy()
  }
}
