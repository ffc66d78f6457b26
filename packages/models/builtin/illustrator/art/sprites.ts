// Things as pixels: drawn once in a size, cut to what is not transparent, and remembered for a while.
import { createRequire } from 'node:module'
import { renderAsync } from '@resvg/resvg-js'
import sharp from 'sharp'
import type { PictureStyle } from '../../../draw.ts'
import { IconFile } from './icon-file.ts'
import { hasOwnArt, ownArt } from './own-art.ts'
import { recolour } from './recolour.ts'
import { sitting } from './sitting.ts'
import type { Sprite } from './sprite.ts'

export interface SpriteLook {
  art: string
  style: PictureStyle
  colour?: string | undefined
  spare?: readonly number[] | undefined
  /** All its colours change, not the main one alone: a yellow duck has no green head. */
  isWhole?: boolean | undefined
}

const require = createRequire(import.meta.url)
const sets: Record<PictureStyle, () => string> = {
  vivid: () => require.resolve('@iconify-json/fluent-emoji/icons.json'),
  natural: () => require.resolve('@iconify-json/fluent-emoji-flat/icons.json'),
}
const maxKept = 48
const maxSoftSide = 448
const ownPrefix = 'own:'
const sittingPrefix = 'sit:'

export class Sprites {
  readonly #files = new Map<PictureStyle, Promise<IconFile>>()
  /** Those of the latest use last. */
  readonly #kept = new Map<string, Promise<Sprite>>()

  /** Its longer side has `side` pixels before it is cut. */
  get(look: SpriteLook, side: number): Promise<Sprite> {
    const key = JSON.stringify([look, side])
    const known = this.#kept.get(key)
    const sprite = known ?? this.#make(look, side)
    this.#kept.delete(key)
    this.#kept.set(key, sprite)
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= maxKept) break
      this.#kept.delete(oldest)
    }
    return sprite
  }

  /** A table that is longer than it is drawn. */
  async stretch({ width, height, pixels }: Sprite, newWidth: number, newHeight: number): Promise<Sprite> {
    const size = { width: Math.max(1, Math.round(newWidth)), height: Math.max(1, Math.round(newHeight)) }
    const stretched = await sharp(pixels, { raw: { width, height, channels: 4 } })
      .resize({ ...size, fit: 'fill' })
      .raw()
      .toBuffer()
    return { ...size, pixels: stretched }
  }

  async #make(look: SpriteLook, side: number): Promise<Sprite> {
    const { art, style, colour } = look
    const name = art.startsWith(ownPrefix) ? art.slice(ownPrefix.length) : art
    if (hasOwnArt(name)) return draw(ownArt(name, style, colour)?.svg ?? '', side)
    const drawn = await this.#drawn(await this.#svg(art, style), style, side)
    return colour === undefined
      ? drawn
      : recolour(drawn, colour, { spare: look.spare ?? [], isWhole: look.isWhole ?? false })
  }

  /** The soft light of the vivid set takes time by the pixel, and looks the same when it is drawn smaller and enlarged. */
  async #drawn(svg: string, style: PictureStyle, side: number): Promise<Sprite> {
    if (style === 'natural' || side <= maxSoftSide) return draw(svg, side)
    const small = await draw(svg, maxSoftSide)
    const scale = side / maxSoftSide
    return this.stretch(small, small.width * scale, small.height * scale)
  }

  async #svg(art: string, style: PictureStyle): Promise<string> {
    const head = art.startsWith(sittingPrefix) ? art.slice(sittingPrefix.length) : undefined
    const file = await this.#file(style)
    const body = await file.read(head ?? art)
    if (body === undefined) throw new Error(`There is no art ${art}.`)
    const seated = head === undefined ? undefined : sitting(head, body, style)
    return seated?.svg ?? `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">${body}</svg>`
  }

  #file(style: PictureStyle): Promise<IconFile> {
    const known = this.#files.get(style)
    if (known !== undefined) return known
    const file = IconFile.open(sets[style]())
    this.#files.set(style, file)
    file.catch(() => this.#files.delete(style))
    return file
  }
}

async function draw(svg: string, side: number): Promise<Sprite> {
  const [, width = '1', height = '1'] = /viewBox="0 0 ([\d.]+) ([\d.]+)"/.exec(svg) ?? []
  const fitTo =
    Number(width) >= Number(height) ? { mode: 'width' as const, value: side } : { mode: 'height' as const, value: side }
  const drawn = await renderAsync(svg, { fitTo, font: { loadSystemFonts: false } })
  return cut({ width: drawn.width, height: drawn.height, pixels: plainAlpha(drawn.pixels) })
}

/** The renderer multiplies colours with alpha. */
function plainAlpha(pixels: Buffer): Buffer {
  for (let at = 0; at < pixels.length; at += 4) {
    const alpha = pixels[at + 3] ?? 0
    if (alpha === 0 || alpha === 255) continue
    for (let part = 0; part < 3; part++) {
      pixels[at + part] = Math.min(255, Math.round(((pixels[at + part] ?? 0) * 255) / alpha))
    }
  }
  return pixels
}

/** What can be seen of it: fainter edges do not count as its size. */
const visibleAlpha = 24

function cut({ width, height, pixels }: Sprite): Sprite {
  let [left, right, top, bottom] = [width, -1, height, -1]
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      if ((pixels[(y * width + x) * 4 + 3] ?? 0) < visibleAlpha) continue
      left = Math.min(left, x)
      right = Math.max(right, x)
      top = Math.min(top, y)
      bottom = y
    }
  }
  if (right < 0) return { width, height, pixels }
  const [w, h] = [right - left + 1, bottom - top + 1]
  const kept = Buffer.alloc(w * h * 4)
  for (let y = 0; y < h; y++) {
    const from = ((y + top) * width + left) * 4
    pixels.copy(kept, y * w * 4, from, from + w * 4)
  }
  return { width: w, height: h, pixels: kept }
}
