// A tar of files that are there already, for saved images: a head, the bytes, and zeros up to the next 512.
import type { Readable } from 'node:stream'

export type TarEntry =
  | { name: string; bytes: Uint8Array; seconds?: number }
  | { name: string; size: number; open(): Promise<Readable>; seconds?: number }
  | { name: string; isFolder: true; seconds?: number }

const blockBytes = 512
const maxOctal = 8 ** 11

export async function* writeTar(entries: Iterable<TarEntry>): AsyncGenerator<Uint8Array> {
  for (const entry of entries) {
    if ('isFolder' in entry) {
      yield head(`${entry.name}/`, 0, '5', entry.seconds)
      continue
    }
    const size = 'bytes' in entry ? entry.bytes.length : entry.size
    yield head(entry.name, size, '0', entry.seconds)
    if ('bytes' in entry) yield entry.bytes
    else yield* exactly(await entry.open(), entry)
    const over = size % blockBytes
    if (over > 0) yield new Uint8Array(blockBytes - over)
  }
  yield new Uint8Array(2 * blockBytes)
}

async function* exactly(source: Readable, { name, size }: { name: string; size: number }): AsyncGenerator<Uint8Array> {
  let bytes = 0
  for await (const chunk of source as AsyncIterable<Buffer>) {
    bytes += chunk.length
    yield chunk
  }
  if (bytes !== size) throw new Error(`${name} has ${bytes} bytes, not ${size}`)
}

function head(name: string, size: number, type: string, seconds = 0): Uint8Array {
  const block = Buffer.alloc(blockBytes)
  if (Buffer.byteLength(name) > 100) throw new Error(`${name} is too long for this tar`)
  block.write(name, 0)
  block.write(`${(type === '5' ? 0o755 : 0o644).toString(8).padStart(7, '0')}\0`, 100)
  block.write('0000000\0', 108)
  block.write('0000000\0', 116)
  if (size < maxOctal) block.write(`${size.toString(8).padStart(11, '0')}\0`, 124)
  else {
    block[124] = 0x80
    block.writeBigUInt64BE(BigInt(size), 128)
  }
  block.write(`${seconds.toString(8).padStart(11, '0')}\0`, 136)
  block.write('        ', 148)
  block.write(type, 156)
  block.write('ustar\x0000', 257)
  const sum = block.reduce((total, byte) => total + byte, 0)
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
  return block
}
