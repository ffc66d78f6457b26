// An index as a file: the engine's own bytes, then what they are, so that nothing but a whole and fitting file is ever
// given to native code. Written aside, synced and renamed into place: a crash leaves the old file or the new one.
import {
  appendFileSync,
  closeSync,
  fstatSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { threadId } from 'node:worker_threads'
import { crc32 } from 'node:zlib'
import { Index, MetricKind, ScalarKind } from 'usearch'

/** A change of anything below, or of the engine's format, gets a new number. */
const format = 1
const magic = 'ATOLLVEC'
const tailBytes = magic.length + 4
const maxAboutBytes = 4096
const pieceBytes = 4 * 1024 * 1024

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

export function saveIndex(index: Index, file: string, about: AboutIndex): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  const aside = `${file}.${process.pid}-${threadId}.tmp`
  try {
    // Others write it: it is made here so that nobody else can read it, whatever the umask.
    writeFileSync(aside, '', { mode: 0o600 })
    index.save(aside)
    const { size } = statSync(aside)
    const stored: Stored = { ...about, format, bytes: size, sum: withFile(aside, (fd) => sumOfFile(fd, size)) }
    const text = Buffer.from(JSON.stringify(stored))
    const tail = Buffer.alloc(tailBytes)
    tail.writeUInt32LE(text.length)
    tail.write(magic, 4)
    appendFileSync(aside, Buffer.concat([text, tail]))
    withFile(aside, fsyncSync)
    renameSync(aside, file)
    withFile(dirname(file), fsyncSync)
  } catch (error) {
    rmSync(aside, { force: true })
    throw error
  }
}

/** Undefined when the file is missing, torn, damaged, or of something else. */
export function loadIndex(
  file: string,
  expected: { key: string; dimensions: number },
): { index: Index; about: AboutIndex } | undefined {
  try {
    const about = withFile(file, readWhole)
    if (about?.key !== expected.key || about.dimensions !== expected.dimensions) return undefined
    const index = newIndex(expected.dimensions)
    index.load(file)
    if (index.size() !== about.count || index.dimensions() !== about.dimensions) return undefined
    return { index, about }
  } catch {
    return undefined
  }
}

function readWhole(fd: number): Stored | undefined {
  const { size } = fstatSync(fd)
  const tail = Buffer.alloc(tailBytes)
  readSync(fd, tail, 0, tailBytes, Math.max(0, size - tailBytes))
  const length = tail.readUInt32LE()
  if (tail.toString('latin1', 4) !== magic || length > maxAboutBytes || length + tailBytes > size) return undefined
  const text = Buffer.alloc(length)
  readSync(fd, text, 0, length, size - tailBytes - length)
  const stored: Stored = JSON.parse(text.toString())
  if (stored.format !== format || stored.bytes !== size - tailBytes - length) return undefined
  return sumOfFile(fd, stored.bytes) === stored.sum ? stored : undefined
}

function sumOfFile(fd: number, bytes: number): number {
  const piece = Buffer.alloc(pieceBytes)
  let sum = 0
  for (let at = 0; at < bytes; ) {
    const read = readSync(fd, piece, 0, Math.min(pieceBytes, bytes - at), at)
    if (read === 0) throw new Error('the file became shorter while it was read')
    sum = crc32(piece.subarray(0, read), sum)
    at += read
  }
  return sum
}

function withFile<T>(file: string, use: (fd: number) => T): T {
  const fd = openSync(file, 'r')
  try {
    return use(fd)
  } finally {
    closeSync(fd)
  }
}
