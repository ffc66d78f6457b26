// The directory of a zip file, read from its end, where it is. Nothing is unpacked here, and whatever the file says
// is doubted: its author may mean harm.
import * as errors from '../../../errors.ts'

/** Bytes of a file, from any place in it. */
export interface ByteSource {
  size: number
  /** From `start` up to, not including, `end`. */
  read(start: number, end: number): Promise<Buffer>
}

export interface ZipEntry {
  name: string
  isCompressed: boolean
  crc32: number
  compressedBytes: number
  bytes: number
  headerAt: number
}

export interface ZipDirectory {
  entries: ZipEntry[]
  /** Where the entries' data ends. */
  dataEnd: number
}

const maxEntries = 64
const maxDirectoryBytes = 1024 * 1024
const endBytes = 22
const maxCommentBytes = 0xffff
const entryBytes = 46
const endSignature = 0x06054b50
const entrySignature = 0x02014b50
const zip64Mark = 0xffffffff
const encryptedFlag = 1
const stored = 0
const deflated = 8
const linkMode = 0o120000
const modeMask = 0o170000

const damaged = (what: string) => errors.invalidModule(`The package is no zip file that can be read: ${what}.`)

export async function readZipDirectory(source: ByteSource): Promise<ZipDirectory> {
  const end = await findEnd(source)
  const count = end.bytes.readUInt16LE(10)
  const [size, start] = [end.bytes.readUInt32LE(12), end.bytes.readUInt32LE(16)]
  if (end.bytes.readUInt32LE(4) !== 0 || end.bytes.readUInt16LE(8) !== count) throw damaged('it has several parts')
  if (start === zip64Mark || size === zip64Mark) throw damaged('it is in the zip64 format')
  if (count === 0 || count > maxEntries) throw damaged(`it has ${count} entries, and 1 to ${maxEntries} may be`)
  if (size > maxDirectoryBytes || start + size > end.at) throw damaged('its directory is out of place')
  const entries = readEntries(await source.read(start, start + size), count)
  const names = new Set(entries.map(({ name }) => name.toLowerCase()))
  if (names.size < entries.length) throw damaged('two entries have the same name')
  return { entries, dataEnd: start }
}

/** The record at the end; a comment may follow it. */
async function findEnd(source: ByteSource): Promise<{ at: number; bytes: Buffer }> {
  if (source.size < endBytes) throw damaged('it is too short')
  const from = Math.max(0, source.size - endBytes - maxCommentBytes)
  const tail = await source.read(from, source.size)
  for (let at = tail.length - endBytes; at >= 0; at--) {
    if (tail.readUInt32LE(at) !== endSignature || at + endBytes + tail.readUInt16LE(at + 20) !== tail.length) continue
    return { at: from + at, bytes: tail.subarray(at, at + endBytes) }
  }
  throw damaged('it has no directory')
}

function readEntries(directory: Buffer, count: number): ZipEntry[] {
  const entries: ZipEntry[] = []
  let at = 0
  while (entries.length < count) {
    if (at + entryBytes > directory.length || directory.readUInt32LE(at) !== entrySignature) {
      throw damaged('its directory is cut off')
    }
    const head = directory.subarray(at, at + entryBytes)
    const nameEnd = at + entryBytes + head.readUInt16LE(28)
    if (nameEnd > directory.length) throw damaged('its directory is cut off')
    entries.push(readEntry(head, directory.subarray(at + entryBytes, nameEnd).toString()))
    at = nameEnd + head.readUInt16LE(30) + head.readUInt16LE(32)
  }
  return entries
}

function readEntry(head: Buffer, name: string): ZipEntry {
  refuseEscape(name)
  const method = head.readUInt16LE(10)
  if ((head.readUInt16LE(8) & encryptedFlag) !== 0) throw damaged(`${name} is encrypted`)
  if (method !== stored && method !== deflated) throw damaged(`${name} is compressed in a way that is not known here`)
  if (((head.readUInt32LE(38) >>> 16) & modeMask) === linkMode) throw damaged(`${name} is a link`)
  const [compressedBytes, bytes, headerAt] = [head.readUInt32LE(20), head.readUInt32LE(24), head.readUInt32LE(42)]
  if ([compressedBytes, bytes, headerAt].includes(zip64Mark)) throw damaged('it is in the zip64 format')
  return { name, isCompressed: method === deflated, crc32: head.readUInt32LE(16), compressedBytes, bytes, headerAt }
}

/** Nothing is ever written under a name of the package; whoever sends such a name means harm all the same. */
function refuseEscape(name: string): void {
  const parts = name.replace(/\/$/, '').split('/')
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
  const isOdd = /[\\\u0000-\u001f\u007f]|^[a-z]:/i.test(name) || parts.some((part) => ['', '.', '..'].includes(part))
  if (isOdd) throw damaged(`the name ${JSON.stringify(name)} leads out of it`)
}
