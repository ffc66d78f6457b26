// Encoded images to the pixels the image model looks at.
import sharp, { type Sharp } from 'sharp'
import { ModelProblem } from '../../problem.ts'

export const imageSide = 224
/** Decoding takes at most four bytes a pixel. */
const maxPixels = 40_000_000
const maxFrames = 4
const decodeSeconds = 20

/** How files begin, in hexadecimal. The decoder knows more formats, some of which are programs of their own. */
const beginnings: Record<string, RegExp> = {
  PNG: /^89504e470d0a1a0a/,
  JPEG: /^ffd8ff/,
  GIF: /^47494638/,
  WebP: /^52494646.{8}57454250/,
}

sharp.cache(false)
sharp.concurrency(1)

/** Each is red, green and blue of every pixel, from 0 to 1. Of a moving image, a few frames from all over it. */
export async function* framesOf(image: Uint8Array): AsyncGenerator<Float32Array> {
  const start = Buffer.from(image.subarray(0, 16)).toString('hex')
  if (!Object.values(beginnings).some((beginning) => beginning.test(start))) {
    throw invalid(`it is none of ${Object.keys(beginnings).join(', ')}`)
  }
  const pages = await pageCount(image)
  const frames = Math.min(pages, maxFrames)
  for (let frame = 0; frame < frames; frame++) yield decode(image, Math.floor((frame * pages) / frames))
}

async function pageCount(image: Uint8Array): Promise<number> {
  const { width, height, pages = 1 } = await open(image, 0).metadata().catch(refuse)
  if (width * height > maxPixels) throw invalid(`it has more than ${maxPixels} pixels`)
  return pages
}

async function decode(image: Uint8Array, page: number): Promise<Float32Array> {
  const pixels = await open(image, page)
    .flatten({ background: '#fff' })
    .toColourspace('srgb')
    .resize(imageSide, imageSide, { fit: 'fill', kernel: 'linear' })
    .timeout({ seconds: decodeSeconds })
    .raw()
    .toBuffer()
    .catch(refuse)
  return Float32Array.from(pixels, (value) => value / 255)
}

const open = (image: Uint8Array, page: number): Sharp =>
  sharp(image, { limitInputPixels: maxPixels, failOn: 'error', page })

const refuse = (error: unknown): never => {
  throw invalid('it cannot be decoded', error)
}

const invalid = (reason: string, cause?: unknown): ModelProblem =>
  new ModelProblem(
    `Invalid image: ${reason}. Send a PNG, JPEG, GIF or WebP image.`,
    { kind: 'invalid', param: 'input' },
    { cause },
  )
