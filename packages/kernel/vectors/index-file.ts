// An index as a file: the engine's own bytes, then what they are, so that nothing but a whole and fitting file is ever
// given to native code. Written aside, synced and renamed into place: a crash leaves the old file or the new one.
import { appendFile, type FileHandle, mkdir, open, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { threadId } from 'node:worker_threads'
import { crc32 } from 'node:zlib'
import { Index, MetricKind, ScalarKind } from 'usearch'

/** A change of anything below, or of the engine's format, gets a new number. */
const format = 1
const magic = 'ATOLLVEC'
const tailBytes = magic.length + 4
const maxAboutBytes = 4096
/** Summed up in a millisecond or less: searches want the thread in between. */
const pieceBytes = 1024 * 1024

export interface AboutIndex {
  key: string
  dimensions: number
  /** The greatest chunk number in it, and the checksum of that chunk's vector. */
  last: number
  lastVectorSum: number
  count: number
}

interface Stored extends AboutIndex {
  format: number
  bytes: number
  sum: number
}

/** Half the memory of float32; results are ranked again by the rows' own numbers. */
export const newIndex = (dimensions: number): Index =>
  new Index({
    dimensions,
    metric: MetricKind.IP,
    quantization: ScalarKind.F16,
    connectivity: 16,
    expansion_add: 128,
    expansion_search: 96,
    multi: false,
  })

/** Only the engine's own writing holds the thread up; its bytes are then what they were, however the index grows. */
export async function saveIndex(index: Index, file: string, about: AboutIndex): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  const aside = `${file}.${process.pid}-${threadId}.tmp`
  try {
    // Others write it: it is made here so that nobody else can read it, whatever the umask.
    await writeFile(aside, '', { mode: 0o600 })
    const written = { ...about }
    index.save(aside)
    const { size } = await stat(aside)
    const sum = await withFile(aside, (handle) => sumOfFile(handle, size))
    const stored: Stored = { ...written, format, bytes: size, sum }
    const text = Buffer.from(JSON.stringify(stored))
    const tail = Buffer.alloc(tailBytes)
    tail.writeUInt32LE(text.length)
    tail.write(magic, 4)
    await appendFile(aside, Buffer.concat([text, tail]))
    await withFile(aside, (handle) => handle.sync())
    await rename(aside, file)
    await withFile(dirname(file), (handle) => handle.sync())
  } catch (error) {
    await rm(aside, { force: true })
    throw error
  }
}

export interface LoadedIndex {
  index: Index
  about: AboutIndex
}

/** Undefined when the file is missing, torn, damaged, or of something else. */
export async function loadIndex(
  file: string,
  expected: { key: string; dimensions: number },
): Promise<LoadedIndex | undefined> {
  try {
    const about = await withFile(file, readWhole)
    if (about?.key !== expected.key || about.dimensions !== expected.dimensions) return undefined
    const index = newIndex(expected.dimensions)
    index.load(file)
    if (index.size() !== about.count || index.dimensions() !== about.dimensions) return undefined
    return { index, about }
  } catch {
    return undefined
  }
}

async function readWhole(handle: FileHandle): Promise<Stored | undefined> {
  const { size } = await handle.stat()
  const tail = Buffer.alloc(tailBytes)
  await handle.read(tail, 0, tailBytes, Math.max(0, size - tailBytes))
  const length = tail.readUInt32LE()
  if (tail.toString('latin1', 4) !== magic || length > maxAboutBytes || length + tailBytes > size) return undefined
  const text = Buffer.alloc(length)
  await handle.read(text, 0, length, size - tailBytes - length)
  const stored: Stored = JSON.parse(text.toString())
  if (stored.format !== format || stored.bytes !== size - tailBytes - length) return undefined
  return (await sumOfFile(handle, stored.bytes)) === stored.sum ? stored : undefined
}

async function sumOfFile(handle: FileHandle, bytes: number): Promise<number> {
  const piece = Buffer.alloc(pieceBytes)
  let sum = 0
  for (let at = 0; at < bytes; ) {
    const { bytesRead } = await handle.read(piece, 0, Math.min(pieceBytes, bytes - at), at)
    if (bytesRead === 0) throw new Error('the file became shorter while it was read')
    sum = crc32(piece.subarray(0, bytesRead), sum)
    at += bytesRead
  }
  return sum
}

async function withFile<T>(file: string, use: (handle: FileHandle) => Promise<T>): Promise<T> {
  const handle = await open(file, 'r')
  try {
    return await use(handle)
  } finally {
    await handle.close()
  }
}
