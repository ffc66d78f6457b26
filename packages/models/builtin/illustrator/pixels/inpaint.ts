// Fills a hole in a picture with what is around it, smoothly: colours are averaged in ever larger squares and brought
// back where there are none.
import sharp from 'sharp'
import type { PictureSize } from '../../../draw.ts'

const coarseSide = 128

interface Level {
  side: number
  /** Sums of red, green, blue, and of the weight. */
  sums: Float32Array
}

/** Only the pixels where `mask` is 0 are of use in the result. */
export async function inpaint(pixels: Buffer, mask: Buffer, { width, height }: PictureSize): Promise<Buffer> {
  const levels = [coarse(pixels, mask, width, height)]
  for (let level = levels[0]; level !== undefined && level.side > 1; level = levels.at(-1)) levels.push(halved(level))
  for (let at = levels.length - 2; at >= 0; at--) fill(levels[at] as Level, levels[at + 1] as Level)
  const { side, sums } = levels[0] as Level
  const small = Buffer.alloc(side * side * 3)
  for (let at = 0; at < side * side; at++) {
    const weight = sums[at * 4 + 3] || 1
    for (let part = 0; part < 3; part++) small[at * 3 + part] = Math.round((sums[at * 4 + part] ?? 0) / weight)
  }
  return sharp(small, { raw: { width: side, height: side, channels: 3 } })
    .blur(1.2)
    .resize(width, height, { fit: 'fill', kernel: 'cubic' })
    .ensureAlpha()
    .raw()
    .toBuffer()
}

function coarse(pixels: Buffer, mask: Buffer, width: number, height: number): Level {
  const side = coarseSide
  const sums = new Float32Array(side * side * 4)
  for (let y = 0; y < height; y++) {
    const row = Math.floor((y * side) / height)
    for (let x = 0; x < width; x++) {
      const at = y * width + x
      if (mask[at] === 0 || (pixels[at * 4 + 3] ?? 0) < 128) continue
      const into = (row * side + Math.floor((x * side) / width)) * 4
      for (let part = 0; part < 3; part++) sums[into + part] = (sums[into + part] ?? 0) + (pixels[at * 4 + part] ?? 0)
      sums[into + 3] = (sums[into + 3] ?? 0) + 1
    }
  }
  return { side, sums }
}

function halved({ side, sums }: Level): Level {
  const half = side / 2
  const result = new Float32Array(half * half * 4)
  for (let y = 0; y < side; y++) {
    for (let x = 0; x < side; x++) {
      const from = (y * side + x) * 4
      const into = ((y >> 1) * half + (x >> 1)) * 4
      const weight = sums[from + 3] ?? 0
      if (weight === 0) continue
      // Each square counts the same, however many of its pixels are known.
      for (let part = 0; part < 3; part++)
        result[into + part] = (result[into + part] ?? 0) + (sums[from + part] ?? 0) / weight
      result[into + 3] = (result[into + 3] ?? 0) + 1
    }
  }
  return { side: half, sums: result }
}

function fill(level: Level, larger: Level): void {
  const { side, sums } = level
  for (let y = 0; y < side; y++) {
    for (let x = 0; x < side; x++) {
      const at = (y * side + x) * 4
      if ((sums[at + 3] ?? 0) > 0) continue
      const from = ((y >> 1) * larger.side + (x >> 1)) * 4
      for (let part = 0; part < 4; part++) sums[at + part] = larger.sums[from + part] ?? 0
    }
  }
}
