// A picture as pixels, onto which things are put.
import { renderAsync } from '@resvg/resvg-js'
import sharp from 'sharp'
import type { PictureSize } from '../../../draw.ts'
import type { Sprite } from '../art/sprite.ts'
import { fontFile } from './lettering.ts'

export class Canvas {
  readonly width: number
  readonly height: number
  /** Red, green, blue, alpha; what is opaque stays so. */
  readonly pixels: Buffer

  constructor({ width, height }: PictureSize, pixels: Buffer = Buffer.alloc(width * height * 4)) {
    this.width = width
    this.height = height
    this.pixels = pixels
  }

  static async fromSvg(svg: string, size: PictureSize): Promise<Canvas> {
    const { pixels } = await renderAsync(svg, { font: { loadSystemFonts: false } })
    return new Canvas(size, pixels)
  }

  put(sprite: Sprite, left: number, top: number, isMirrored = false): void {
    const [x0, y0] = [Math.round(left), Math.round(top)]
    const from = Math.max(0, -x0)
    const to = Math.min(sprite.width, this.width - x0)
    for (let y = Math.max(0, -y0); y < Math.min(sprite.height, this.height - y0); y++) {
      for (let x = from; x < to; x++) {
        const source = (y * sprite.width + (isMirrored ? sprite.width - 1 - x : x)) * 4
        const alpha = sprite.pixels[source + 3] ?? 0
        if (alpha === 0) continue
        this.#over(((y + y0) * this.width + x + x0) * 4, sprite.pixels, source, alpha)
      }
    }
  }

  /** Colours multiplied with alpha, as the renderer gives them, of the canvas's own size. */
  async putSvg(svg: string, needsFont: boolean): Promise<void> {
    const font = needsFont
      ? { loadSystemFonts: false, fontFiles: [fontFile()], defaultFontFamily: 'Nunito' }
      : { loadSystemFonts: false }
    const { pixels } = await renderAsync(svg, { font })
    for (let at = 0; at < pixels.length; at += 4) {
      const alpha = pixels[at + 3] ?? 0
      if (alpha === 0) continue
      const rest = 255 - alpha
      for (let part = 0; part < 4; part++) {
        this.pixels[at + part] = Math.min(
          255,
          (pixels[at + part] ?? 0) + Math.round(((this.pixels[at + part] ?? 0) * rest) / 255),
        )
      }
    }
  }

  part({ x, y, width, height }: PictureSize & { x: number; y: number }): Canvas {
    const cut = new Canvas({ width, height })
    for (let row = 0; row < height; row++) {
      const from = ((y + row) * this.width + x) * 4
      this.pixels.copy(cut.pixels, row * width * 4, from, from + width * 4)
    }
    return cut
  }

  async resized({ width, height }: PictureSize): Promise<Canvas> {
    const image = sharp(this.pixels, { raw: { width: this.width, height: this.height, channels: 4 } })
    return new Canvas({ width, height }, await image.resize(width, height, { fit: 'fill' }).raw().toBuffer())
  }

  png(): Promise<Buffer> {
    const { width, height } = this
    return sharp(this.pixels, { raw: { width, height, channels: 4 } })
      .png({ compressionLevel: 5 })
      .toBuffer()
  }

  #over(at: number, source: Buffer, from: number, alpha: number): void {
    const rest = 255 - alpha
    for (let part = 0; part < 3; part++) {
      this.pixels[at + part] = Math.round(
        ((source[from + part] ?? 0) * alpha + (this.pixels[at + part] ?? 0) * rest) / 255,
      )
    }
    this.pixels[at + 3] = Math.min(255, alpha + Math.round(((this.pixels[at + 3] ?? 0) * rest) / 255))
  }
}
