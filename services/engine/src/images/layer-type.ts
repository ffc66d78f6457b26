// What a layer file is packed with, by its first bytes.
import { open } from 'node:fs/promises'
import { mediaTypes } from './image-documents.ts'

const zstd = 0x28b52ffd

export async function layerType(path: string): Promise<string> {
  const file = await open(path, 'r')
  try {
    const { buffer } = await file.read(Buffer.alloc(4), 0, 4, 0)
    if (buffer[0] === 0x1f && buffer[1] === 0x8b) return `${mediaTypes.layer}+gzip`
    return buffer.readUInt32BE(0) === zstd ? `${mediaTypes.layer}+zstd` : mediaTypes.layer
  } finally {
    await file.close()
  }
}
