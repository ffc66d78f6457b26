// The blocks around the files of a tar.
const blockBytes = 512
const maxNameBytes = 100
const maxOctal = 8 ** 11

export function tarHead(name: string, bytes: number): Uint8Array {
  const block = Buffer.alloc(blockBytes)
  if (Buffer.byteLength(name) > maxNameBytes) throw new Error(`${name} is too long for this tar`)
  block.write(name, 0)
  block.write('0000600\0', 100)
  block.write('0000000\0', 108)
  block.write('0000000\0', 116)
  if (bytes < maxOctal) block.write(`${bytes.toString(8).padStart(11, '0')}\0`, 124)
  else {
    block[124] = 0x80
    block.writeBigUInt64BE(BigInt(bytes), 128)
  }
  block.write('00000000000\0', 136)
  block.write('        ', 148)
  block.write('0', 156)
  block.write('ustar\x0000', 257)
  const sum = block.reduce((total, byte) => total + byte, 0)
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
  return block
}

export const tarPadding = (bytes: number): Uint8Array =>
  new Uint8Array((blockBytes - (bytes % blockBytes)) % blockBytes)

export const tarEnd = new Uint8Array(2 * blockBytes)
