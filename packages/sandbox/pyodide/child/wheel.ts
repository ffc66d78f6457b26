// The files in a wheel, which is a ZIP archive. Read here and not by Python: by then a session's code may have changed
// what its `zipfile` does.
import { inflateRawSync } from 'node:zlib'

const endMark = 0x06054b50
const endBytes = 22
const maxCommentBytes = 65_535
const entryMark = 0x02014b50
const entryBytes = 46
const localBytes = 30
const deflated = 8

interface WheelEntry {
  name: string
  bytes(): Uint8Array
}

/** Throws on what is no ZIP archive. */
export function wheelEntries(archive: Buffer): WheelEntry[] {
  const end = archive.lastIndexOf(Buffer.from(Uint32Array.of(endMark).buffer), archive.length - endBytes)
  if (end < 0 || end < archive.length - endBytes - maxCommentBytes) throw new Error('no ZIP archive')
  const entries: WheelEntry[] = []
  let at = archive.readUInt32LE(end + 16)
  for (let left = archive.readUInt16LE(end + 10); left > 0; left--) {
    if (archive.readUInt32LE(at) !== entryMark) throw new Error('a damaged ZIP archive')
    const nameBytes = archive.readUInt16LE(at + 28)
    const name = archive.toString('utf8', at + entryBytes, at + entryBytes + nameBytes)
    if (!name.endsWith('/')) entries.push({ name, bytes: readerOf(archive, at) })
    at += entryBytes + nameBytes + archive.readUInt16LE(at + 30) + archive.readUInt16LE(at + 32)
  }
  return entries
}

function readerOf(archive: Buffer, at: number): () => Uint8Array {
  const method = archive.readUInt16LE(at + 10)
  const packed = archive.readUInt32LE(at + 20)
  const local = archive.readUInt32LE(at + 42)
  return () => {
    const start = local + localBytes + archive.readUInt16LE(local + 26) + archive.readUInt16LE(local + 28)
    const bytes = archive.subarray(start, start + packed)
    return method === deflated ? inflateRawSync(bytes) : bytes
  }
}

/** What it lets one import, and what it needs, as its own files say. */
export function describeWheel(entries: WheelEntry[]): { imports: string[]; needs: string[] } {
  const tops = new Set(entries.map(({ name }) => name.split('/')[0] ?? '').filter((top) => !isAbout(top)))
  const metadata = entries.find(({ name }) => name.endsWith('.dist-info/METADATA'))?.bytes() ?? new Uint8Array()
  const [head = ''] = Buffer.from(metadata).toString('utf8').replaceAll('\r', '').split('\n\n')
  const needs = head
    .split('\n')
    .filter((line) => line.startsWith('Requires-Dist:') && !line.includes('extra =='))
    .map((line) => line.slice('Requires-Dist:'.length).trim())
  return { imports: [...tops].map((top) => top.split('.')[0] ?? ''), needs }
}

const isAbout = (top: string): boolean => /\.(dist-info|data)$/.test(top)

/** Where a file goes below the folder of packages; undefined for scripts, headers and what would lie outside. */
export function installedPath(name: string): string | undefined {
  if (name.split('/').includes('..') || name.startsWith('/')) return undefined
  const [, kind, rest] = /^[^/]+\.data\/([^/]+)\/(.+)$/.exec(name) ?? []
  if (kind === undefined) return name
  return kind === 'purelib' || kind === 'platlib' ? rest : undefined
}
