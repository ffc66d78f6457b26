// Unpacks one entry of a zip file, piece by piece. It never gives more bytes than the directory told, whatever the
// compressed bytes would grow to, and fails unless they are exactly those that were packed.
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { crc32, createInflateRaw } from 'node:zlib'
import * as errors from '../../../errors.ts'
import type { ByteSource, ZipDirectory, ZipEntry } from './zip-directory.ts'

const headerBytes = 30
const headerSignature = 0x04034b50
const pieceBytes = 1024 * 1024
const inflatedBytes = 256 * 1024

const damaged = (name: string, what: string) => errors.invalidModule(`${name} in the package is damaged: ${what}.`)

export async function* unpack(source: ByteSource, { dataEnd }: ZipDirectory, entry: ZipEntry): AsyncGenerator<Buffer> {
  const { name, bytes } = entry
  const start = await findData(source, entry, dataEnd)
  const packed = piecesOf(source, start, start + entry.compressedBytes)
  let seen = 0
  let sum = 0
  for await (const piece of entry.isCompressed ? inflate(packed, name) : packed) {
    seen += piece.length
    if (seen > bytes) throw damaged(name, `it has more than the ${bytes} bytes told`)
    sum = crc32(piece, sum)
    yield piece
  }
  if (seen < bytes) throw damaged(name, `it has ${seen} bytes, not the ${bytes} told`)
  if (sum !== entry.crc32) throw damaged(name, 'its checksum is wrong')
}

async function findData(source: ByteSource, { name, headerAt, compressedBytes }: ZipEntry, dataEnd: number) {
  if (headerAt + headerBytes > dataEnd) throw damaged(name, 'it is out of place')
  const header = await source.read(headerAt, headerAt + headerBytes)
  if (header.readUInt32LE(0) !== headerSignature) throw damaged(name, 'it is out of place')
  const start = headerAt + headerBytes + header.readUInt16LE(26) + header.readUInt16LE(28)
  if (start + compressedBytes > dataEnd) throw damaged(name, 'it is cut off')
  return start
}

async function* piecesOf(source: ByteSource, start: number, end: number): AsyncGenerator<Buffer> {
  for (let at = start; at < end; at += pieceBytes) yield await source.read(at, Math.min(end, at + pieceBytes))
}

/** Asked for piece by piece: nothing is inflated ahead of its reader but a buffer or two. */
async function* inflate(packed: AsyncIterable<Buffer>, name: string): AsyncGenerator<Buffer> {
  const inflater = createInflateRaw({ chunkSize: inflatedBytes })
  const feeding = pipeline(Readable.from(packed, { objectMode: false }), inflater)
  feeding.catch(() => {}) // Its reader below hears of it.
  try {
    for await (const piece of inflater) yield piece as Buffer
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : ''
    if (code.startsWith('Z_')) throw damaged(name, 'it cannot be unpacked')
    throw error
  } finally {
    inflater.destroy()
  }
}
