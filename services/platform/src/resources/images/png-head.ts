// What the first bytes of a PNG say, so that nothing is decoded before its size and kind are known to be right.
import { imageErrors } from '../../errors/images.ts'

const signature = Buffer.from('89504e470d0a1a0a', 'hex')
/** The signature, then the first chunk: length, name, 13 bytes, checksum. */
const headBytes = 33
const headerChunk = { length: 13, name: 'IHDR' }
/** Decoding takes four bytes a pixel, in the model's process. */
const maxSide = 4096
const colourTypesWithAlpha = [4, 6]

export interface PngHead {
  side: number
  hasAlpha: boolean
}

/** Throws what is wrong with it. */
export function readPngHead(png: Buffer, param: string): PngHead {
  if (png.length < headBytes || !png.subarray(0, signature.length).equals(signature)) throw imageErrors.notPng(param)
  if (png.readUInt32BE(8) !== headerChunk.length || png.toString('latin1', 12, 16) !== headerChunk.name) {
    throw imageErrors.notPng(param)
  }
  const width = png.readUInt32BE(16)
  const height = png.readUInt32BE(20)
  if (width === 0 || height === 0) throw imageErrors.notPng(param)
  if (width > maxSide || height > maxSide) throw imageErrors.tooManyPixels(param, width, height, maxSide)
  if (width !== height) throw imageErrors.notSquare(param, width, height)
  return { side: width, hasAlpha: colourTypesWithAlpha.includes(png.readUInt8(25)) || hasTransparentColours(png) }
}

/** A palette, or one colour, may be transparent too: a chunk before the pixels says so. */
function hasTransparentColours(png: Buffer): boolean {
  for (let at = signature.length; at + 12 <= png.length; at += 12 + png.readUInt32BE(at)) {
    const name = png.toString('latin1', at + 4, at + 8)
    if (name === 'tRNS') return true
    if (name === 'IDAT') return false
  }
  return false
}
