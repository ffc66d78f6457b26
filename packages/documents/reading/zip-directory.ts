// The list of entries at the end of a ZIP archive.
import { problems } from '../problems.ts'
import type { SpooledFile } from './spooled-file.ts'

const endMark = 0x06054b50
const endSize = 22
const maxCommentBytes = 65_535
const entryMark = 0x02014b50
const entrySize = 46
/** Names are short; a directory of more is made to hurt. */
const maxBytesPerEntry = 1_024

export interface ZipEntry {
  name: string
  isEncrypted: boolean
  method: number
  packedBytes: number
  unpackedBytes: number
  headerAt: number
}

export async function readZipDirectory(file: SpooledFile, maxEntries: number): Promise<Map<string, ZipEntry>> {
  const tailBytes = Math.min(file.size, endSize + maxCommentBytes)
  const tail = await file.read(file.size - tailBytes, tailBytes)
  const end = findEnd(tail)
  if (end === undefined) throw problems.damaged('archive')
  const size = end.readUInt32LE(12)
  const start = end.readUInt32LE(16)
  if (size > maxEntries * maxBytesPerEntry) throw problems.tooManyEntries(maxEntries)
  if (start + size > file.size) throw problems.damaged('archive')
  const entries = new Map<string, ZipEntry>()
  for (const entry of parseEntries(await file.read(start, size))) {
    entries.set(entry.name, entry)
    if (entries.size > maxEntries) throw problems.tooManyEntries(maxEntries)
  }
  return entries
}

function findEnd(tail: Buffer): Buffer | undefined {
  for (let at = tail.length - endSize; at >= 0; at--) if (tail.readUInt32LE(at) === endMark) return tail.subarray(at)
  return undefined
}

function* parseEntries(directory: Buffer): Generator<ZipEntry> {
  for (let at = 0; at + entrySize <= directory.length; ) {
    if (directory.readUInt32LE(at) !== entryMark) throw problems.damaged('archive')
    const nameBytes = directory.readUInt16LE(at + 28)
    const nameAt = at + entrySize
    yield {
      name: directory.toString('utf8', nameAt, nameAt + nameBytes),
      isEncrypted: (directory.readUInt16LE(at + 8) & 1) === 1,
      method: directory.readUInt16LE(at + 10),
      packedBytes: directory.readUInt32LE(at + 20),
      unpackedBytes: directory.readUInt32LE(at + 24),
      headerAt: directory.readUInt32LE(at + 42),
    }
    at = nameAt + nameBytes + directory.readUInt16LE(at + 30) + directory.readUInt16LE(at + 32)
  }
}
