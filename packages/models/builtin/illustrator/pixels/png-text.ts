// Notes inside a PNG: what drew it, and from which words. So a variation of our own picture is drawn anew, not bent.
import { crc32 } from 'node:zlib'

const headEnd = 33
const chunkName = 'iTXt'
/** Null, not compressed, no language, no translated keyword. */
const plainUtf8 = Buffer.from([0, 0, 0, 0, 0])
const maxTextBytes = 20_000

export function addNote(png: Buffer, keyword: string, text: string): Buffer {
  const data = Buffer.concat([Buffer.from(keyword, 'latin1'), plainUtf8, Buffer.from(text, 'utf8')])
  const named = Buffer.concat([Buffer.from(chunkName, 'latin1'), data])
  const chunk = Buffer.alloc(named.length + 8)
  chunk.writeUInt32BE(data.length, 0)
  named.copy(chunk, 4)
  chunk.writeUInt32BE(crc32(named), named.length + 4)
  return Buffer.concat([png.subarray(0, headEnd), chunk, png.subarray(headEnd)])
}

/** Undefined: there is none. The picture comes from anywhere. */
export function readNote(png: Buffer, keyword: string): string | undefined {
  const wanted = Buffer.concat([Buffer.from(keyword, 'latin1'), plainUtf8])
  for (let at = 8; at + 12 <= png.length; ) {
    const length = png.readUInt32BE(at)
    const name = png.toString('latin1', at + 4, at + 8)
    if (name === 'IDAT' || length > png.length - at - 12) return undefined
    const data = png.subarray(at + 8, at + 8 + length)
    if (name === chunkName && length <= maxTextBytes && data.subarray(0, wanted.length).equals(wanted)) {
      return data.toString('utf8', wanted.length)
    }
    at += length + 12
  }
  return undefined
}
