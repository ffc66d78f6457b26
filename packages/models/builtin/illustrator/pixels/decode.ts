// Pictures that came from outside, as pixels. Their size and kind were checked before; what is inside is not trusted.
import sharp, { type Sharp } from 'sharp'
import type { PictureSize } from '../../../draw.ts'
import { ModelProblem } from '../../../problem.ts'

const maxPixels = 4096 * 4096
const decodeSeconds = 20

const open = (png: Uint8Array): Sharp => sharp(png, { limitInputPixels: maxPixels, failOn: 'error', pages: 1 })

/** Red, green, blue, alpha; pixel by pixel the same where it has the size already. */
export async function decode(png: Uint8Array, size: PictureSize, param: string): Promise<Buffer> {
  return sized(open(png).toColourspace('srgb').ensureAlpha(), png, size, 'cubic', param)
}

/** One byte a pixel: 0 where it is open. */
export async function decodeMask(png: Uint8Array, size: PictureSize, param: string): Promise<Buffer> {
  return sized(open(png).ensureAlpha().extractChannel('alpha'), png, size, 'nearest', param)
}

async function sized(
  image: Sharp,
  png: Uint8Array,
  { width, height }: PictureSize,
  kernel: 'cubic' | 'nearest',
  param: string,
) {
  try {
    const given = await open(png).metadata()
    const isSame = given.width === width && given.height === height
    const fitted = isSame ? image : image.resize(width, height, { fit: 'fill', kernel })
    return await fitted.timeout({ seconds: decodeSeconds }).raw({ depth: 'uchar' }).toBuffer()
  } catch (cause) {
    const message = `Invalid '${param}': the PNG is damaged and cannot be decoded.`
    throw new ModelProblem(message, { kind: 'invalid', param }, { cause })
  }
}
