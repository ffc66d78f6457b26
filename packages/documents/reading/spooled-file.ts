// A file's bytes on disk, for formats that are read from their end. The file has no name any more once it is open:
// however the process ends, nothing is left behind.
import { randomUUID } from 'node:crypto'
import { type FileHandle, open, unlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const readBytes = 256 * 1024

export async function openUnnamed(): Promise<FileHandle> {
  const path = join(tmpdir(), `atoll-document-${randomUUID()}`)
  const handle = await open(path, 'wx+', 0o600)
  try {
    await unlink(path)
    return handle
  } catch (error) {
    await handle.close()
    throw error
  }
}

export class SpooledFile {
  readonly #handle: FileHandle
  readonly size: number

  private constructor(handle: FileHandle, size: number) {
    this.#handle = handle
    this.size = size
  }

  static async write(pieces: AsyncIterable<Uint8Array>): Promise<SpooledFile> {
    const handle = await openUnnamed()
    try {
      let size = 0
      for await (const piece of pieces) {
        await handle.write(piece, 0, piece.length, size)
        size += piece.length
      }
      return new SpooledFile(handle, size)
    } catch (error) {
      await handle.close()
      throw error
    }
  }

  /** Fewer bytes where the file ends. */
  async read(position: number, length: number): Promise<Buffer> {
    const buffer = Buffer.alloc(length)
    const { bytesRead } = await this.#handle.read(buffer, 0, length, position)
    return buffer.subarray(0, bytesRead)
  }

  async *stream(position: number, length: number): AsyncGenerator<Buffer> {
    for (let at = 0; at < length; at += readBytes) {
      const piece = await this.read(position + at, Math.min(readBytes, length - at))
      if (piece.length === 0) return
      yield piece
    }
  }

  close(): Promise<void> {
    return this.#handle.close()
  }
}
