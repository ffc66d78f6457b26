// An edit: the prompt's scene, drawn into what the mask leaves open. Every other pixel stays as it is.
import type { PictureSize } from '../../draw.ts'
import { ModelProblem } from '../../problem.ts'
import type { Sprites } from './art/sprites.ts'
import { decode, decodeMask } from './pixels/decode.ts'
import { inpaint } from './pixels/inpaint.ts'
import { Canvas } from './scene/canvas.ts'
import { type DrawnScene, drawScene } from './scene/draw-scene.ts'
import type { Description } from './words/description.ts'

export interface Edit {
  image: Uint8Array
  mask: Uint8Array | undefined
  size: PictureSize
  seed: string
}

interface Area extends PictureSize {
  x: number
  y: number
}

export async function drawEdit(
  description: Description,
  { image, mask, size, seed }: Edit,
  sprites: Sprites,
): Promise<DrawnScene> {
  const pixels = await decode(image, size, 'image')
  const param = mask === undefined ? 'image' : 'mask'
  const closed = await decodeMask(mask ?? image, size, param)
  const open = openArea(closed, size)
  if (open === undefined) {
    const message = `Invalid '${param}': no pixel of it is fully transparent, so there is nothing to edit.`
    throw new ModelProblem(message, { kind: 'invalid', param })
  }
  const { place, time, weather } = description.setting
  const hasOwnSetting = place !== undefined || time !== undefined || weather !== undefined
  const around = hasOwnSetting ? undefined : new Canvas(size, await inpaint(pixels, closed, size))
  const backdrop = around?.part(open)
  const scene = { size: { width: open.width, height: open.height }, style: 'vivid', quality: 'standard', seed } as const
  const { canvas, told } = await drawScene(description, { ...scene, ...(backdrop && { backdrop }) }, sprites)
  const result = new Canvas(size, pixels)
  const ground = around ?? (await stretchedTo(canvas, size))
  for (let at = 0; at < closed.length; at++) {
    if (closed[at] !== 0) continue
    const [x, y] = [at % size.width, Math.floor(at / size.width)]
    const isInside = x >= open.x && x < open.x + open.width && y >= open.y && y < open.y + open.height
    const source = isInside ? canvas : ground
    const from = isInside ? ((y - open.y) * open.width + (x - open.x)) * 4 : at * 4
    source.pixels.copy(result.pixels, at * 4, from, from + 4)
    result.pixels[at * 4 + 3] = 255
  }
  return { canvas: result, told: `An edit of the uploaded picture. In the open area: ${told}` }
}

const stretchedTo = async (canvas: Canvas, size: PictureSize): Promise<Canvas> => canvas.resized(size)

/** The box of what is open; smaller than that where it is not filled, so that nothing in it is cut off. */
function openArea(closed: Buffer, { width, height }: PictureSize): Area | undefined {
  let [left, right, top, bottom, count] = [width, -1, height, -1, 0]
  for (let at = 0; at < closed.length; at++) {
    if (closed[at] !== 0) continue
    const [x, y] = [at % width, Math.floor(at / width)]
    left = Math.min(left, x)
    right = Math.max(right, x)
    top = Math.min(top, y)
    bottom = y
    count++
  }
  if (count === 0) return undefined
  const [w, h] = [right - left + 1, bottom - top + 1]
  const filled = count / (w * h)
  const share = filled > 0.97 ? 1 : Math.max(0.5, Math.sqrt(filled) * 0.82)
  const [inner, tall] = [Math.max(1, Math.round(w * share)), Math.max(1, Math.round(h * share))]
  return { x: left + Math.floor((w - inner) / 2), y: top + Math.floor((h - tall) / 2), width: inner, height: tall }
}
