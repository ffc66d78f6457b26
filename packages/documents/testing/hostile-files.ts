// Files made to hurt.
import { Buffer } from 'node:buffer'
import { constants, crc32, deflateRawSync } from 'node:zlib'
import { strToU8, zipSync } from 'fflate'
import { relations, zipFile } from './office-files.ts'

/** The same as a PDF packs what is drawn on a page. */
export const repeatedDrawing = (unit: string, count: number): Buffer =>
  Buffer.concat([Buffer.from([0x78, 0x9c]), repeatedDeflate('BT /F1 12 Tf ', Buffer.from(unit), count)])

/** Raw deflate of `unit` again and again: each block stands for itself, so the same few bytes unpack to any size. */
function repeatedDeflate(before: string, unit: Buffer, count: number): Buffer {
  const flushed = (data: string | Buffer): Buffer => deflateRawSync(data, { finishFlush: constants.Z_FULL_FLUSH })
  const block = flushed(unit)
  return Buffer.concat([flushed(before), ...Array.from({ length: count }, () => block), deflateRawSync('')])
}

/** A Word document whose text unpacks to `count` megabytes; it lies about its size unless told not to. */
export function zipBomb(count: number, { isHonest }: { isHonest: boolean }): Buffer {
  const small = zipFile({
    '_rels/.rels': relations(['rId1', 'officeDocument', 'word/document.xml']),
    'word/document.xml': '<placeholder/>',
  })
  const packed = repeatedDeflate('<w:document><w:body>', Buffer.alloc(1024 ** 2, ' '), count)
  return replaceEntry(small, 'word/document.xml', packed, isHonest ? count * 1024 ** 2 : 1_000)
}

/** The archive with this entry's data at its end instead of what it had. */
function replaceEntry(zip: Buffer, name: string, packed: Buffer, unpackedBytes: number): Buffer {
  const directoryAt = zip.indexOf('PK\x01\x02')
  const directory = Buffer.from(zip.subarray(directoryAt))
  const header = Buffer.alloc(30)
  header.write('PK\x03\x04', 'latin1')
  header.writeUInt16LE(name.length, 26)
  const entryAt = directory.indexOf(name) - 46
  directory.writeUInt16LE(8, entryAt + 10)
  directory.writeUInt32LE(crc32(packed), entryAt + 16)
  directory.writeUInt32LE(packed.length, entryAt + 20)
  directory.writeUInt32LE(Math.min(unpackedBytes, 0xffff_fffe), entryAt + 24)
  directory.writeUInt32LE(directoryAt, entryAt + 42)
  const end = directory.indexOf('PK\x05\x06')
  directory.writeUInt32LE(directoryAt + header.length + name.length + packed.length, end + 16)
  return Buffer.concat([zip.subarray(0, directoryAt), header, Buffer.from(name), packed, directory])
}

export function crowdedZip(entries: number): Buffer {
  const empty = strToU8('')
  const files = Object.fromEntries(Array.from({ length: entries }, (_, index) => [`f${index}`, empty]))
  return Buffer.from(zipSync(files, { level: 0 }))
}
